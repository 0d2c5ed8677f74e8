import { isUnreadable } from "../../src/recording/readEntry.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { redactObject } from "../../src/recording/redactObject.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { anImage, patchWeb } from "../explain/steps/webCluster.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { OpenCluster, OpenOptions } from "../../src/cluster/openCluster.ts"
import type { ParsedRecording, RecordedEntry } from "../../src/recording/readRecording.ts"

/** A recorded cluster in which two versions of `web` have been rolled out. */
export const rolledOutWeb = async (options: OpenOptions = {}): Promise<OpenCluster> => {
  const cluster = await openCluster({ record: true, behaviour: "steady", ...options })
  await cluster.create(deploymentManifest({ replicas: 4 }))
  await cluster.settle()
  await patchWeb(cluster, anImage("v2"))
  await cluster.settle()
  return cluster
}

export const parseRecording = (text: string): ParsedRecording => {
  const found = readRecording(text)
  if (isUnreadable(found)) throw new Error(found.problem)
  return found
}

/** The objects after the entry with a number, by uid. */
export const objectsAt = (
  entries: ReadonlyArray<RecordedEntry>,
  number: number
): ReadonlyMap<string, KubeObject> => {
  const objects = new Map<string, KubeObject>()
  for (const entry of entries) {
    if (entry.type !== "object" || entry.number > number) continue
    const { uid } = entry.object.metadata
    if (entry.change === "DELETED") objects.delete(uid)
    else objects.set(uid, entry.object)
  }
  return objects
}

const recordedResources = [
  "nodes",
  "services",
  "endpointslices.discovery.k8s.io",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "controllerrevisions.apps",
  "cronjobs.batch",
  "jobs.batch",
  "horizontalpodautoscalers.autoscaling",
  "pods",
  "events"
]

/** The cluster's objects now, as a recording has them, by uid. */
export const objectsNow = async (cluster: OpenCluster): Promise<ReadonlyMap<string, KubeObject>> => {
  const lists = await Promise.all(recordedResources.map((resource) => cluster.list(resource)))
  return new Map(
    lists.flatMap(({ items }) => items.map((object) => [object.metadata.uid, redactObject(object)] as const))
  )
}
