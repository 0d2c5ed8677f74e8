import * as Effect from "effect/Effect"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { parseWorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { formatOptionValue, validateOptionNames } from "../../options/invalidOptions.ts"
import { explainWorkload } from "../../explain/workloads/explainWorkload.ts"
import { rolloutOptionNames, toLimitMillis } from "./callOptions.ts"
import { NotFound } from "../../store/storeErrors.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"
import type { RolloutOptions } from "./callOptions.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { WorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import type { Workload, WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

export interface RolloutOutcome {
  readonly outcome: "complete" | "failed" | "deleted" | "unfinished"
  /** The message of `kubectl rollout status`; of a Job, the state of its Pods. */
  readonly message: string
  /** The sentences of `charthouse explain`; empty for a complete rollout. */
  readonly reasons: ReadonlyArray<string>
  /** Undefined when the workload has been deleted. */
  readonly workload: Workload | undefined
}

interface RolloutWaitParts {
  readonly view: ClusterView["Service"]
  readonly until: UserCalls["until"]
  readonly strategies: ReadonlyArray<Strategy>
  readonly nowMillis: () => number
}

export const makeRolloutWait = ({ view, until, ...environment }: RolloutWaitParts) =>
  Effect.fnUntraced(function* (
    text: string,
    options: RolloutOptions = {}
  ): Effect.fn.Return<RolloutOutcome, NotFound> {
    const { namespace = "default", limit } = validateOptionNames("rollout", options, rolloutOptionNames)
    const limitMillis = toLimitMillis(limit)
    const { resource, name } = requireWorkloadName(text)
    const key = toObjectKey(namespace, name)
    const currentWorkload = (): Workload | undefined => view.get(resource, key)
    const isOver = (): boolean => {
      const workload = currentWorkload()
      return workload === undefined || workloadStatus(resource, workload).state !== "waiting"
    }
    if (currentWorkload() === undefined) return yield* new NotFound({ resource, resourceName: name })
    // `isOver` reads no time, as this option requires.
    yield* until(isOver, limitMillis, { skipsHeartbeats: true })
    return rolloutOutcome(
      resource,
      currentWorkload(),
      (workload) =>
        explainWorkload(resource, workload, view, { ...environment, nowMillis: environment.nowMillis() })
          .sentences
    )
  })

/** @throws TypeError */
export const requireWorkloadName = (text: unknown): WorkloadName => {
  const parsed = typeof text === "string" ? parseWorkloadName(text) : undefined
  if (parsed !== undefined) return parsed
  throw new TypeError(
    "rollout takes the name of a Deployment, or KIND/NAME of a Deployment, StatefulSet, DaemonSet or Job, " +
      `not ${formatOptionValue(text)}`
  )
}

const noReasons = (): ReadonlyArray<string> => []

export const rolloutOutcome = (
  resource: WorkloadResource,
  workload: Workload | undefined,
  readReasons: (workload: Workload) => ReadonlyArray<string> = noReasons
): RolloutOutcome => {
  if (workload === undefined)
    return { outcome: "deleted", message: "object has been deleted", reasons: [], workload }
  const { state, message } = workloadStatus(resource, workload)
  const outcome = state === "waiting" ? "unfinished" : state
  return { outcome, message, reasons: outcome === "complete" ? [] : readReasons(workload), workload }
}
