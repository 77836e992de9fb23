# R's randomForest (Breiman's program) on the rows that forest_table wrote, for
# tests/benchmark/forest_libraries.
#
#   Rscript forest_r.R FOLDER TREES PER_SPLIT LEAF      prints a line of the table
suppressPackageStartupMessages(library(randomForest))
given <- commandArgs(trailingOnly = TRUE)
read <- function(name, type, size) {
  path <- file.path(given[1], name)
  readBin(path, type, n = file.size(path) / size, size = size)
}
values <- read("values", "double", 8)
features <- matrix(read("features", "double", 8), nrow = length(values))
training <- read("training", "integer", 4) + 1
others <- read("others", "integer", 4) + 1
seconds <- function(code) system.time(code)[["elapsed"]]
set.seed(1)
growing <- seconds(forest <- randomForest(features[training, , drop = FALSE], values[training],
  ntree = as.integer(given[2]), mtry = as.integer(given[3]), nodesize = as.integer(given[4])))
predicting <- seconds(predicted <- predict(forest, features[others, , drop = FALSE]))
r2 <- 1 - sum((values[others] - predicted)^2) / sum((values[others] - mean(values[others]))^2)
cat(sprintf("%-28s%10.3f%12.3f%10.3f\n", "R randomForest, 1 thread", growing, predicting, 100 * r2))
