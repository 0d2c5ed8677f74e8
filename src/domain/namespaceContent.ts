import { conditionOf } from "./conditions.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { GroupResource } from "./kinds.ts"
import type { KubeObject, Namespace } from "./objects.ts"

type NamespaceCondition = Readonly<Core.NamespaceCondition>

/**
 * Why nothing is made any more in a namespace that is being deleted.
 *
 * Source: staging/src/k8s.io/api/core/v1/types.go (NamespaceTerminatingCause).
 */
export const namespaceTerminatingCause = "NamespaceTerminating"

/** What is left in a namespace that is being deleted, by resource. */
export type Content = ReadonlyMap<GroupResource, ReadonlyArray<KubeObject>>

interface Row {
  readonly type: string
  readonly reason: string
  readonly message: string
}

/** What is said while nothing is in the way, in the order in which it is said. */
const allIsWell: ReadonlyArray<Row> = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered"
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed"
  },
  {
    type: "NamespaceDeletionContentFailure",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization"
  },
  {
    type: "NamespaceContentRemaining",
    reason: "ContentRemoved",
    message: "All content successfully removed"
  },
  {
    type: "NamespaceFinalizersRemaining",
    reason: "ContentRemoved",
    message: "All content successfully removed"
  }
]

/**
 * The conditions of a namespace that is being deleted: what is still in it, which finalizers hold that, and what could
 * not be deleted. One whose status stays the same keeps its time; one that says the same is shared.
 *
 * Source: pkg/controller/namespace/deletion/status_condition_utils.go.
 */
export const namespaceConditions = (options: {
  readonly namespace: Namespace
  readonly content: Content
  /** Why content could not be deleted, one a kind that could not. */
  readonly failures: ReadonlyArray<string>
  readonly nowMillis: number
}): ReadonlyArray<NamespaceCondition> => {
  const { namespace, nowMillis } = options
  const present = namespace.status.conditions ?? []
  const troubles = troublesOf(options)
  const now = timestampOf(nowMillis)
  const told = allIsWell.map((well): NamespaceCondition => {
    const trouble = troubles.find(({ type }) => type === well.type)
    const status = trouble === undefined ? "False" : "True"
    const before = conditionOf(present, well.type)
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now
    const next = { ...(trouble ?? well), status, lastTransitionTime }
    return before?.reason === next.reason && before.message === next.message && before.status === status
      ? before
      : next
  })
  return [...present.map((it) => conditionOf(told, it.type) ?? it), ...told.filter(isNewIn(present))]
}

const isNewIn =
  (present: ReadonlyArray<NamespaceCondition>) =>
  ({ type }: NamespaceCondition): boolean =>
    conditionOf(present, type) === undefined

const troublesOf = (options: {
  readonly content: Content
  readonly failures: ReadonlyArray<string>
}): ReadonlyArray<Row> => {
  const { content, failures } = options
  const resources = [...content].flatMap(([resource, { length }]) =>
    length === 0 ? [] : [`${gvrText(resource)} has ${length} resource instances`]
  )
  const finalizers = [...holders(content)].map(([name, count]) => `${name} in ${count} resource instances`)
  const failed = `Failed to delete all resource types, ${failures.length} remaining: ${listed(failures)}`
  const rows: ReadonlyArray<Row & { readonly holds: boolean }> = [
    {
      holds: failures.length > 0,
      type: "NamespaceDeletionContentFailure",
      reason: "ContentDeletionFailed",
      message: failed
    },
    {
      holds: resources.length > 0,
      type: "NamespaceContentRemaining",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${listed(resources)}`
    },
    {
      holds: finalizers.length > 0,
      type: "NamespaceFinalizersRemaining",
      reason: "SomeFinalizerRemain",
      message: `Some finalizers are remaining: ${listed(finalizers)}`
    }
  ]
  return rows.filter(({ holds }) => holds).map(({ type, reason, message }) => ({ type, reason, message }))
}

const listed = (texts: ReadonlyArray<string>): string => [...texts].sort().join(", ")

/** Resources of the core group end in a dot, since their group has no name. */
const gvrText = (resource: string): string => (resource.includes(".") ? resource : `${resource}.`)

/** Each finalizer that holds any of the content, and how many objects it holds. */
const holders = (content: Content): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { metadata } of [...content.values()].flat()) {
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
