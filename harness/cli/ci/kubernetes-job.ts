import type { IJob } from 'kubernetes-models/batch/v1';
import { Document } from 'yaml';

/** Ends a hung job; a run itself ends with its budget. */
const DEADLINE_SECONDS = 1800;
/** Nothing is pulled under this name: who forgets to put the own image here gets no run, not another image. */
const IMAGE_TO_REPLACE = `example.invalid/packproof-runner@sha256:${'0'.repeat(64)}`;

const HEAD = ` One suite on several machines with packproof: each pod of this Job runs one shard.
 Written by packproof init --ci kubernetes, for Kubernetes 1.29 or later (backoffLimitPerIndex).
 
 Before it: a volume that all pods can write (ReadWriteMany), claimed as "packproof", with the result of
 packproof prepare in it as "context". After it, also when shards failed: packproof merge shard-1 ... and
 packproof verify, on any machine that reads the volume.
 
 The image is yours: Node 20.19 or later, runc 1.1 or later and packproof, named by digest.
 
 privileged, because runc as root makes namespaces, mounts and cgroups for the boxes. Cases run inside
 packproof's boundary, but packproof itself is root on the node: give it nodes that hold nothing else. With a
 Docker Engine's socket in the pod (DOCKER_HOST, --engine docker) privileged can go, yet who holds that socket
 is root on the engine's machine too.`;

/**
 * On cgroup version 2 a cgroup with processes in it can have no limited children: in a cgroup namespace of
 * its own the shell (0) first leaves the root, as every container that starts containers has to.
 */
const LEAVE_ROOT_CGROUP = `if [ -f /sys/fs/cgroup/cgroup.controllers ] && grep -qx '0::/' /proc/self/cgroup; then
  mkdir -p /sys/fs/cgroup/packproof
  echo 0 > /sys/fs/cgroup/packproof/cgroup.procs
  sed 's/ / +/g; s/^/+/' /sys/fs/cgroup/cgroup.controllers > /sys/fs/cgroup/cgroup.subtree_control
fi`;

/** A Kubernetes Indexed Job whose pods run one of `shards` shards each. */
export function toKubernetesJob(shards: number): string {
  const document = new Document(toManifest(shards));
  document.commentBefore = HEAD;
  return document.toString({ lineWidth: 0 });
}

function toManifest(shards: number): IJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'packproof' },
    spec: {
      completionMode: 'Indexed',
      completions: shards,
      parallelism: shards,
      // One failed shard must not end the others: merge wants all of them, failed ones too.
      backoffLimitPerIndex: 0,
      maxFailedIndexes: shards,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          containers: [
            {
              name: 'shard',
              image: IMAGE_TO_REPLACE,
              command: ['/bin/sh', '-euc', toScript(shards)],
              workingDir: '/packproof',
              securityContext: { privileged: true, runAsUser: 0 },
              resources: {
                requests: { cpu: '2', memory: '2Gi' },
                limits: { memory: '4Gi' },
              },
              volumeMounts: [
                { name: 'packproof', mountPath: '/packproof' },
                { name: 'own', mountPath: '/own' },
              ],
              env: [
                { name: 'XDG_CACHE_HOME', value: '/own/cache' },
                { name: 'XDG_STATE_HOME', value: '/own/state' },
              ],
            },
          ],
          volumes: [
            { name: 'packproof', persistentVolumeClaim: { claimName: 'packproof' } },
            // Layers are overlay mounts, which a container's own file system often cannot carry.
            { name: 'own', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** Kubernetes counts completions from 0, shards count from 1. It would make one of two dollar signs in a row. */
function toScript(shards: number): string {
  return `${LEAVE_ROOT_CGROUP}
shard=$((JOB_COMPLETION_INDEX+1))
exec packproof run context --engine runc --shard "$shard/${shards}" --out "shard-$shard"
`;
}
