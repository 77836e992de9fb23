# shellcheck shell=bash
# Open MPI as tests want it, for scripts to source: for root, with as many ranks as a test wants on as few processors as there
# are, side by side with other tests. Open MPI 4 and 5 (PRRTE) are told the same in other words.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
# Two of Open MPI 4.1's one-sided components fail between processes of one node, recorder or not: rdma crashes in
# MPI_Compare_and_swap, and ucx can't map a peer's shared memory in one run of four while another job starts beside.
one_sided_components=sm,pt2pt
openmpi_release=$(mpirun.openmpi --version 2>/dev/null | sed -nE 's/.*\(Open MPI\) ([0-9]+).*/\1/p')
openmpi_release=${openmpi_release:-0}
if [ "$openmpi_release" -ge 6 ]; then # whose PRRTE complains of the names that it had in 5
  unset PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_hwloc_default_binding_policy
  export PRTE_MCA_mapby=:oversubscribe PRTE_MCA_bindto=none
fi
if [ "$openmpi_release" -ge 5 ]; then
  one_sided_components=^ucx
  # Its btl/tcp complains of a machine without a network beside lo.
  export OMPI_MCA_btl=self,sm
fi
