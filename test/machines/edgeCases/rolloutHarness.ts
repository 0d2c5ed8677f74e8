import { deploymentMachine } from "../../../machines/deployment.ts"
import { progressingCondition } from "../../../src/kubernetes/apps/progress.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { makeWorkload } from "../workload.ts"
import { beginMillis } from "../workloadObservations.ts"
import type { Command, CommandRefusal } from "../../../src/kubernetes/apps/commands.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { ChartActor, TestClock } from "../chartActor.ts"
import type { Workload } from "../workload.ts"

/** A Deployment's actor: its commands are carried out at once, and it looks on call. */
export interface Rollout {
  readonly clock: TestClock
  readonly workload: Workload
  readonly look: (rest?: Partial<DeploymentObservation>) => ReadonlyArray<Command>
  readonly refuse: (refusal?: Partial<CommandRefusal>) => ReadonlyArray<Command>
  readonly wait: (seconds: number) => void
  /** Drops the actor; time may pass; the next look starts a new one. */
  readonly crash: () => void
  readonly value: () => unknown
  readonly reason: () => string | undefined
  /** The second at which the passed deadline is reported by time alone. */
  readonly overdueSecond: () => number
}

const secondsMax = 4000

export const makeRollout = (deployment: Deployment): Rollout => {
  const clock = makeClock(beginMillis)
  const workload = makeWorkload(deployment)
  let actor: ChartActor | undefined
  const present = (): ChartActor => (actor ??= startChart(deploymentMachine(), clock))
  const perform = (commands: ReadonlyArray<Command>): ReadonlyArray<Command> => {
    workload.perform(commands, clock.nowMillis())
    return commands
  }
  const look: Rollout["look"] = (rest = {}) =>
    perform(present().take({ type: "observed", seen: { ...workload.observe(clock.nowMillis()), ...rest } }))
  const wait: Rollout["wait"] = (seconds) =>
    clock.advance(seconds * 1000, () => {
      const commands = perform(actor?.take() ?? [])
      if (commands.some(({ type }) => type === "lookAgain")) look()
    })
  const reason: Rollout["reason"] = () => progressingCondition(workload.deployment())?.reason
  return {
    clock,
    workload,
    look,
    wait,
    reason,
    refuse: (refusal = {}) => {
      const fullRefusal = { command: "createReplicaSet", reason: "Forbidden", message: "no room", ...refusal }
      return perform(present().take({ type: "refused", refusal: fullRefusal }))
    },
    crash: () => {
      actor?.stop()
      actor = undefined
    },
    value: () => present().value(),
    overdueSecond: () => {
      for (let second = (clock.nowMillis() - beginMillis) / 1000; second <= secondsMax; second += 1) {
        if (reason() === "ProgressDeadlineExceeded") return second
        wait(1)
      }
      return Infinity
    }
  }
}
