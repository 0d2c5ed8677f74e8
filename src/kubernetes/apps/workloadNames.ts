import { kindOfResource } from "../meta/kinds.ts"
import { workloadResources } from "./workloadStatus.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../meta/objects.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"
import type { Workload, WorkloadResource } from "./workloadStatus.ts"

export interface WorkloadName {
  readonly resource: WorkloadResource
  readonly name: string
}

/** Reads `web` (a Deployment) or `KIND/NAME` as kubectl does; undefined for other texts. */
export const parseWorkloadName = (text: string): WorkloadName | undefined => {
  const parts = text.split("/")
  const [kind, name] = parts.length === 1 ? ["deployments", text] : parts
  if (kind === undefined || name === undefined || name === "" || parts.length > 2) return undefined
  const lower = kind.toLowerCase()
  const resource = workloadResources.find((it) => namesInKubectl(it).includes(lower))
  return resource === undefined ? undefined : { resource, name }
}

/** The type of the workload that `parseWorkloadName` reads from the text. */
export type WorkloadNamed<Name extends string> = string extends Name
  ? Workload
  : Name extends `${infer Kind}/${string}`
    ? WorkloadOfKind<Lowercase<Kind>>
    : Deployment

type WorkloadOfKind<Kind extends string> = Kind extends "deployment" | "deployments" | "deploy"
  ? Deployment
  : Kind extends "statefulset" | "statefulsets" | "sts"
    ? StatefulSet
    : Kind extends "daemonset" | "daemonsets" | "ds"
      ? DaemonSet
      : Kind extends "job" | "jobs"
        ? Job
        : Workload

const namesInKubectl = (resource: WorkloadResource): ReadonlyArray<string> => {
  const kind = kindOfResource(resource)
  if (kind === undefined) return []
  const { plural, singular, shortNames, group, version } = kind
  const names = [plural, singular, ...shortNames]
  return names.flatMap((it) => [it, `${it}.${group}`, `${it}.${version}.${group}`])
}
