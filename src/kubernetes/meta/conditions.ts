import { timestampOf } from "./amounts/timestamps.ts"

/** Source: deployment_util.go (SetDeploymentCondition), replica_set_utils.go (SetCondition). */
export interface StatusCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
}

/** Kubernetes writes `lastProbeTime: null` on every Pod condition; the published types do not allow null. */
export const noProbeTime = null as unknown as string

export interface DesiredCondition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

export const conditionOf = <C extends StatusCondition>(
  conditions: ReadonlyArray<C> | undefined,
  type: string
): C | undefined => {
  if (conditions === undefined) return undefined
  for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

/** A condition with the same status and reason keeps its message and times; `refresh` rewrites it. */
export const withCondition = (
  conditions: ReadonlyArray<StatusCondition>,
  desired: DesiredCondition,
  options: { readonly nowMillis: number; readonly refresh: boolean }
): ReadonlyArray<StatusCondition> => {
  const present = conditionOf(conditions, desired.type)
  const isSame = present?.status === desired.status && present.reason === desired.reason
  if (isSame && !options.refresh) return conditions
  const lastUpdateTime = timestampOf(options.nowMillis)
  const lastTransitionTime = transitionTime(present, desired.status, options.nowMillis)
  return [...withoutCondition(conditions, desired.type), { ...desired, lastUpdateTime, lastTransitionTime }]
}

export const transitionTime = (
  present: StatusCondition | undefined,
  status: string,
  nowMillis: number
): string => (present?.status === status ? present.lastTransitionTime : undefined) ?? timestampOf(nowMillis)

export const replaceConditions = <C extends StatusCondition>(
  conditions: ReadonlyArray<C>,
  updated: ReadonlyArray<C>
): ReadonlyArray<C> => [
  ...conditions.map((it) => conditionOf(updated, it.type) ?? it),
  ...updated.filter(({ type }) => conditionOf(conditions, type) === undefined)
]

export const withoutCondition = <C extends StatusCondition>(
  conditions: ReadonlyArray<C>,
  type: string
): ReadonlyArray<C> =>
  conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions
