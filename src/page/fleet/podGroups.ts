import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import {
  podRevisionLabel,
  podRevisionOf
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject, Pod, PodTemplate, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

export interface PodGroup {
  readonly uid: string
  /** Undefined for a ControllerRevision, or the Pods of a Job in its own card. */
  readonly address: PageAddress | undefined
  readonly title: string
  readonly revision: string
  readonly image: string
  readonly figures: string
  readonly pods: ReadonlyMap<string, Pod>
}

export const noPods: ReadonlyMap<string, Pod> = new Map()

const revisionTitle = (revision: string): string => `revision ${revision === "" ? "?" : revision}`

export const replicaSetGroup = (
  replicaSet: ReplicaSet,
  pods: ReadonlyMap<string, Pod> = noPods
): PodGroup => {
  const { name, namespace = "", uid } = replicaSet.metadata
  const revision = String(revisionOf(replicaSet) ?? "")
  return {
    uid,
    address: { kind: "ReplicaSet", namespace, name },
    title: revisionTitle(revision),
    revision,
    image: imagesText(replicaSet),
    figures: `${replicaSet.spec.replicas} asked for`,
    pods
  }
}

/** The newest revision has a group even before its first Pod. */
export const revisionGroups = (
  workload: KubeObject & { readonly spec: { readonly template: PodTemplate } },
  /** Newest first. */
  revisions: ReadonlyArray<ControllerRevision>,
  pods: ReadonlyMap<string, Pod>
): ReadonlyArray<PodGroup> => {
  const podsOf = Map.groupBy(pods, ([, { metadata }]) => metadata.labels?.[podRevisionLabel] ?? "")
  const [newest] = revisions
  const groupOf = (hash: string, number?: number): ReadonlyArray<PodGroup> => {
    const podsOfRevision = podsOf.get(hash) ?? []
    podsOf.delete(hash)
    const isNewest = number === newest?.revision
    if (podsOfRevision.length === 0 && !isNewest) return []
    const revision = String(number ?? "")
    const [, firstPod] = podsOfRevision[0] ?? []
    const image = imagesText(isNewest || firstPod === undefined ? workload : { spec: { template: firstPod } })
    const title = revisionTitle(revision)
    const pods = new Map(podsOfRevision)
    return [{ uid: hash, address: undefined, title, revision, image, figures: "", pods }]
  }
  return [
    ...revisions.flatMap((it) => groupOf(podRevisionOf(workload.kind, it), it.revision)),
    // Pods whose revision was deleted.
    ...[...podsOf.keys()].flatMap((hash) => groupOf(hash))
  ]
}

/** `title`: undefined in the card of the Job itself. */
export const jobGroup = (
  job: Job,
  pods: ReadonlyMap<string, Pod> = noPods,
  { title, figures }: { readonly title?: string; readonly figures: string } = { figures: "" }
): PodGroup => {
  const { name, namespace = "", uid } = job.metadata
  return {
    uid,
    address: title === undefined ? undefined : { kind: "Job", namespace, name },
    title: title ?? "",
    revision: "",
    image: imagesText(job),
    figures,
    pods
  }
}
