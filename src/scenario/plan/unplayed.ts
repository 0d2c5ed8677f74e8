import { containersOf, podSpecOf } from "./podSpecs.ts"
import { isOf } from "./documentKeys.ts"
import { resources } from "../../domain/kinds.ts"
import { shownName } from "../../domain/shownName.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { PodSpec } from "../../domain/objects.ts"

type Spec = Partial<PodSpec>

/**
 * What Pods must have to be placed or to start, and what nobody looks at here, each by its field: what it names, or
 * nothing where it is not asked for. What is only preferred keeps no Pod waiting.
 *
 * Source: pkg/scheduler/framework/plugins (nodeaffinity, interpodaffinity, podtopologyspread, nodeports,
 * noderesources/fit.go, volumebinding).
 */
const fields: ReadonlyArray<(spec: Spec) => string | undefined> = [
  ({ affinity }) =>
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution === undefined
      ? undefined
      : "required nodeAffinity",
  ({ affinity }) =>
    isAny(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, "required podAffinity"),
  ({ affinity }) =>
    isAny(
      affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
      "required podAntiAffinity"
    ),
  ({ topologySpreadConstraints = [] }) =>
    isAny(
      topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule"),
      "topologySpreadConstraints with DoNotSchedule"
    ),
  (spec) => listed("hostPort", hostPortsOf(spec).map(String)),
  (spec) => listed("resources", otherResourcesOf(spec)),
  ({ volumes = [] }) =>
    listed(
      "PersistentVolumeClaim",
      volumes.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
    ),
  ({ volumes = [] }) =>
    listed(
      "ephemeral volume",
      volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => name)
    )
]

/** A sentence for each Deployment that is rolled out and each field of its template that is not played. */
export const unplayed = (next: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> =>
  next.filter(isOf(resources.deployments)).flatMap(({ draft }) => {
    const spec = podSpecOf(draft) ?? {}
    const name = shownName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    return [
      ...fields
        .flatMap((asked) => asked(spec) ?? [])
        .map((what) => `${what}: that is not played here, and its Pods run without it`),
      ...waitsFor(spec)
    ].map((what) => `Deployment/${name} asks for ${what}`)
  })

/** What another scheduler would make of them nobody knows. */
const waitsFor = ({ schedulerName = "", nodeName = "" }: Spec): ReadonlyArray<string> =>
  schedulerName === "" || schedulerName === "default-scheduler" || nodeName !== ""
    ? []
    : [`schedulerName ${schedulerName}: there is no such scheduler here, and its Pods wait for it for ever`]

const isAny = (asked: ReadonlyArray<unknown> = [], what: string): string | undefined =>
  asked.length === 0 ? undefined : what

const listed = (what: string, names: ReadonlyArray<string>): string | undefined =>
  isAny(names, `${what} ${[...new Set(names)].join(", ")}`)

/** On the network of the node every port is the node's. */
const hostPortsOf = (spec: Spec): ReadonlyArray<number> =>
  containersOf(spec)
    .flatMap(({ ports = [] }) => ports)
    .map(({ hostPort = 0, containerPort }) => (spec.hostNetwork === true ? containerPort : hostPort))
    .filter((port) => port !== 0)

/** A node is asked for room for its Pods, cpu and memory, and for nothing else. */
const otherResourcesOf = (spec: Spec): ReadonlyArray<string> =>
  containersOf(spec)
    .flatMap(({ resources: amounts }) => Object.keys({ ...amounts?.limits, ...amounts?.requests }))
    .filter((name) => name !== "cpu" && name !== "memory")
