import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { UntilOptions } from "../../runtime/time/userCalls.ts"
import type { DeleteOptions } from "../../store/objectStore.ts"
import type { SubscribeOptions } from "../../store/watch/subscribers.ts"
import { InvalidOptions, mustBe, validateOptionNames } from "../../options/invalidOptions.ts"
import type { OptionNames } from "../../options/invalidOptions.ts"

import type { LabelSelector } from "kubernetes-types/meta/v1.js"

/** Milliseconds, or a text such as `1m30s`. */
export type Duration = number | string

/** The namespace is `default` by default. */
export interface ObjectAddress<R extends GroupResource = GroupResource> {
  readonly resource: R
  readonly name: string
  readonly namespace?: string
}

export interface ListQuery {
  readonly namespace?: string
  /** `app=web,tier in (a,b)`, or a `LabelSelector`. */
  readonly labelSelector?: string | LabelSelector
  /** `spec.nodeName=node-1,status.phase!=Running`; requires a resource. */
  readonly fieldSelector?: string
}

export interface WatchQuery extends ListQuery {
  /** Changes after this version. Without it, the present objects come first, as additions. */
  readonly resourceVersion?: string
}

export interface WriteTarget {
  /** Writes the status alone. */
  readonly status?: boolean
}

export interface PodBinding {
  readonly name: string
  readonly namespace?: string
  readonly node: string
}

export interface RolloutOptions {
  readonly namespace?: string
  /** A day by default. */
  readonly limit?: Duration
}

const addressOptionNames: OptionNames<ObjectAddress> = { resource: true, name: true, namespace: true }
export const listOptionNames: OptionNames<ListQuery> = {
  namespace: true,
  labelSelector: true,
  fieldSelector: true
}
export const watchOptionNames: OptionNames<WatchQuery> = { ...listOptionNames, resourceVersion: true }
export const writeTargetNames: OptionNames<WriteTarget> = { status: true }
export const deleteOptionNames: OptionNames<DeleteOptions> = {
  dryRun: true,
  propagationPolicy: true,
  gracePeriodSeconds: true,
  preconditions: true
}
export const rolloutOptionNames: OptionNames<RolloutOptions> = { namespace: true, limit: true }

export const subscribeOptionNames: OptionNames<SubscribeOptions> = { skipsHeartbeats: true }
export const untilOptionNames: OptionNames<UntilOptions> = { skipsHeartbeats: true }

const textCheck = mustBe("text", (value) => typeof value === "string")

/** @throws InvalidOptions */
export const validateAddress = (call: string, address: ObjectAddress): ObjectAddress => {
  const { name, namespace } = validateOptionNames<ObjectAddress>(call, address, addressOptionNames)
  // A name that is undefined would be that of an object called so.
  const given: unknown = name
  const problems = [
    ...(given === undefined ? [`${call} needs a name`] : textCheck("name", name)),
    ...textCheck("namespace", namespace)
  ]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  return address
}

/** @throws TypeError */
export const toLimitMillis = (limit: Duration | undefined): number | undefined =>
  limit === undefined ? undefined : toDurationMillis(limit, "limit")

/** Refuses a condition that returns a promise, which would always be truthy. */
export const requireSynchronous =
  (condition: (nextTimerMillis: number) => boolean) =>
  (nextTimerMillis: number): boolean => {
    const result: unknown = condition(nextTimerMillis)
    if (result instanceof Promise)
      throw new TypeError("the condition of until must return true or false, not a promise: use eventually")
    return Boolean(result)
  }
