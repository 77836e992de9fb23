# gnuplot draws power.csv into a picture beside it.
set terminal pngcairo size 1200,600 noenhanced
set output 'WORK/power.png'
set datafile separator ','
set datafile missing ''
set key outside below autotitle columnhead
set xlabel 'time (s)'
set ylabel 'power (W)'
set y2label 'clock (GHz)'
set y2tics
set ytics nomirror
set yrange [0:*]
set y2range [0:*]
file = 'WORK/power.csv'
plot for [i=2:5] file using 1:i with lines linewidth 2, \
     file using 1:7 axes x1y2 with lines dashtype 2
