import { conditionOf, replaceConditions, transitionTime } from "../meta/conditions.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { GroupResource } from "../meta/kinds.ts"
import type { KubeObject, Namespace } from "../meta/objects.ts"

type NamespaceCondition = Readonly<Core.NamespaceCondition>

/** Cause of the Forbidden status for creations in a terminating namespace. */
export const namespaceTerminatingCause = "NamespaceTerminating"

export type NamespaceContent = ReadonlyMap<GroupResource, ReadonlyArray<KubeObject>>

interface ConditionText {
  readonly type: string
  readonly reason: string
  readonly message: string
}

/** In Kubernetes' order. */
const conditionsWithoutObstacles: ReadonlyArray<ConditionText> = [
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
 * Unchanged conditions are shared. Source:
 * pkg/controller/namespace/deletion/status_condition_utils.go.
 */
export const namespaceDeletionConditions = (options: {
  readonly namespace: Namespace
  readonly content: NamespaceContent
  readonly deletionErrors: ReadonlyArray<string>
  readonly nowMillis: number
}): ReadonlyArray<NamespaceCondition> => {
  const { namespace, nowMillis } = options
  const present = namespace.status.conditions ?? []
  const obstacles = obstaclesOf(options)
  const conditions = conditionsWithoutObstacles.map((noObstacle): NamespaceCondition => {
    const obstacle = obstacles.find(({ type }) => type === noObstacle.type)
    const status = obstacle === undefined ? "False" : "True"
    const presentCondition = conditionOf(present, noObstacle.type)
    const lastTransitionTime = transitionTime(presentCondition, status, nowMillis)
    const next = { ...(obstacle ?? noObstacle), status, lastTransitionTime }
    return presentCondition?.reason === next.reason &&
      presentCondition.message === next.message &&
      presentCondition.status === status
      ? presentCondition
      : next
  })
  return replaceConditions(present, conditions)
}

const obstaclesOf = (options: {
  readonly content: NamespaceContent
  readonly deletionErrors: ReadonlyArray<string>
}): ReadonlyArray<ConditionText> => {
  const { content, deletionErrors } = options
  const remainingResources = [...content].flatMap(([resource, { length }]) =>
    length === 0 ? [] : [`${groupResourceText(resource)} has ${length} resource instances`]
  )
  const remainingFinalizers = [...countByFinalizer(content)].map(
    ([name, count]) => `${name} in ${count} resource instances`
  )
  const failureMessage = `Failed to delete all resource types, ${deletionErrors.length} remaining: ${sortedList(deletionErrors)}`
  const possibleObstacles: ReadonlyArray<ConditionText & { readonly applies: boolean }> = [
    {
      applies: deletionErrors.length > 0,
      type: "NamespaceDeletionContentFailure",
      reason: "ContentDeletionFailed",
      message: failureMessage
    },
    {
      applies: remainingResources.length > 0,
      type: "NamespaceContentRemaining",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${sortedList(remainingResources)}`
    },
    {
      applies: remainingFinalizers.length > 0,
      type: "NamespaceFinalizersRemaining",
      reason: "SomeFinalizerRemain",
      message: `Some finalizers are remaining: ${sortedList(remainingFinalizers)}`
    }
  ]
  return possibleObstacles
    .filter(({ applies }) => applies)
    .map(({ type, reason, message }) => ({ type, reason, message }))
}

const sortedList = (texts: ReadonlyArray<string>): string => [...texts].sort().join(", ")

/** Resources of the core group end in a dot, since the group has no name. */
const groupResourceText = (resource: string): string => (resource.includes(".") ? resource : `${resource}.`)

const countByFinalizer = (content: NamespaceContent): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { metadata } of [...content.values()].flat()) {
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
