# Options of sbatch and srun with which a job keeps its nodes, or is left as submitted.

left 'specialised cores' row=--core-spec options=--core-spec=1 'because=you place ranks yourself \(--core-spec' <<'END'
srun ./heat
END
left 'cores of a socket' row=--cores-per-socket options=--cores-per-socket=2 \
  'because=place ranks.*--cores-per-socket' <<'END'
srun ./heat
END
left 'binding of an srun on its own' row=--cpu-bind=rank options=--cpu-bind=rank 'because=bind ranks.*--cpu-bind' \
  'submit=srun "${job[@]}" ./heat >out-0' </dev/null
left 'memory binding of an srun on its own' row=--mem-bind=map_mem options=--mem-bind=map_mem:0 'because=bind ranks.*--mem-bind' \
  'submit=srun "${job[@]}" ./heat >out-0' </dev/null
left 'a distribution' row=--distribution=cyclic options=--distribution=cyclic 'because=place ranks.*--distribution' <<'END'
srun ./heat
END
left 'an environment from a file' row=--export-file 'options=--export-file=variables' \
  'because=would not see what was decided' 'submit=env -0 >variables; sbatch "${batch[@]}" job.sh' <<'END'
srun ./heat
END
kept 'GPUs' row=--gpus 'size=--nodes=2 --ntasks=4 --ntasks-per-node=2' options=--gpus=4 \
  'line=kept on 2 nodes, ranks that talk share nodes' <<'END'
srun ./cool
END
kept 'GPUs of each node' row=--gpus-per-node 'size=--nodes=2 --ntasks=4 --ntasks-per-node=2' options=--gpus-per-node=2 \
  'line=kept on 2 nodes, ranks that talk share nodes' <<'END'
srun ./cool
END
kept 'GPUs of each rank' row=--gpus-per-task 'size=--nodes=2 --ntasks=4 --ntasks-per-node=2' options=--gpus-per-task=1 \
  'line=kept on 2 nodes, ranks that talk share nodes' <<'END'
srun ./cool
END
kept 'generic resources' row=--gres 'size=--nodes=2 --ntasks=4 --ntasks-per-node=2' options=--gres=gpu:2 \
  'line=kept on 2 nodes, ranks that talk share nodes' <<'END'
srun ./cool
END
kept 'GPUs, where fewer nodes are allowed' options=--gpus-per-node=2 \
  'because=nodes are kept.*--gpus-per-node.*no gain' \
  'submit=sbatch "${batch[@]/#--energy-aggregate/--energy-aggregate=nodes=fewer}" job.sh' <<'END'
srun ./heat
END
left 'a hint that ranks use much memory' row=--hint=memory_bound options=--hint=memory_bound \
  'because=spread.*--hint=memory_bound' <<'END'
srun ./heat
END
left 'memory for each GPU' row=--mem-per-gpu 'options=--gpus=4 --mem-per-gpu=100M' 'because=--mem-per-gpu' <<'END'
srun ./heat
END
left 'cores that each node must have' row=--mincpus options=--mincpus=2 'because=--mincpus' <<'END'
srun ./heat
END
left 'local disk that each node must have' row=--tmp options=--tmp=0 'because=--tmp' <<'END'
srun ./heat
END
left 'nodes by name' row=--nodelist 'options=--nodelist=n[1-4]' 'because=place ranks.*--nodelist' <<'END'
srun ./heat
END
left 'nodes from a file' row=--nodefile options=--nodefile=nodes 'because=place ranks.*--node(file|list)' \
  'submit=printf "n2\nn3\nn4\nn5\n" >nodes; sbatch "${batch[@]}" job.sh' <<'END'
srun ./heat
END
left 'ranks by the socket' row=--ntasks-per-socket options=--ntasks-per-socket=1 \
  'because=place ranks.*--ntasks-per-socket' <<'END'
srun ./heat
END
left 'ranks by the GPU' row=--ntasks-per-gpu 'options=--gpus=4 --ntasks-per-gpu=1' 'because=--ntasks-per-gpu' <<'END'
srun ./heat
END
left 'several ranks on a core' row=--overcommit options=--overcommit 'because=--overcommit' <<'END'
srun ./heat
END
left 'shared nodes' row=--oversubscribe options=--oversubscribe 'because=--oversubscribe' <<'END'
srun ./heat
END
left 'sockets of a node' row=--sockets-per-node options=--sockets-per-node=2 'because=--sockets-per-node' <<'END'
srun ./heat
END
left 'a job that is spread' row=--spread-job options=--spread-job 'because=--spread-job' <<'END'
srun ./heat
END
left 'as few nodes as possible' row=--use-min-nodes options=--use-min-nodes 'because=--use-min-nodes' <<'END'
srun ./heat
END
left 'ranks on the nodes of a file' row=SLURM_HOSTFILE 'because=SLURM_HOSTFILE' \
  'submit=printf "n4\nn3\nn2\nn1\n" >hosts; SLURM_HOSTFILE=$PWD/hosts sbatch "${batch[@]}" job.sh' <<'END'
srun ./heat
END
left 'several parts of a job, behind a colon' 'row=a heterogeneous job' 'because=several parts' \
  'submit=sbatch "${batch[@]}" : --nodes=1 --ntasks=2 job.sh' <<'END'
srun ./heat
END
left 'several parts of a job, in its script' 'because=several parts' <<'END'
#!/bin/bash
#SBATCH --time=20
#SBATCH hetjob
#SBATCH --nodes=1 --ntasks=2
srun ./heat
END
kept 'one node' 'size=--nodes=1 --ntasks=4' 'line=kept on 1 node, ranks that talk share packages' <<'END'
srun ./cool
END
kept 'one node, with ranks that talk beside each other' 'size=--nodes=1 --ntasks=4' 'because=one node only; no gain' <<'END'
srun ./heat
END
left 'one task' 'size=--ntasks=1' ranks=1 'because=one node only' <<'END'
srun ./heat
END
kept 'a partition with a least number of nodes' options=--partition=four \
  'because=partition four gives no fewer than 4 nodes' <<'END'
srun ./heat
END
kept 'a partition with a number of cores on each node' options=--partition=narrow \
  'because=partition narrow gives at most 1 CPUs of a node, and a plan needs whole nodes' <<'END'
srun ./heat
END
kept 'a reservation of some cores of nodes' 'options=--reservation=cores --partition=all' \
  'because=Slurm would not run it packed: ' <<'END'
srun ./heat
END
kept 'nodes that shall stay' 'because=nodes=keep' \
  'submit=sbatch "${batch[@]/#--energy-aggregate/--energy-aggregate=nodes=keep}" job.sh' \
  'measured=you keep your nodes' <<'END'
srun ./heat
END
said 'a submission that is only tried' row=--test-only options=--test-only <<'END'
srun ./heat
END
