import { deploymentMachine } from "../../../machines/deployment.ts"
import { progressingCondition } from "../../../src/kubernetes/apps/progress.ts"
import { makeClock, play } from "../player.ts"
import { makeStage } from "../stage.ts"
import { beginMillis } from "../worlds.ts"
import type { Command, CommandRefusal } from "../../../src/kubernetes/apps/commands.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { Player, TestClock } from "../player.ts"
import type { Stage } from "../stage.ts"

/** A Deployment's actor on its stage: what it says is carried out at once, and it looks when it is told to. */
export interface Rollout {
  readonly clock: TestClock
  readonly stage: Stage
  readonly look: (rest?: Partial<DeploymentObservation>) => ReadonlyArray<Command>
  readonly refuse: (refusal?: Partial<CommandRefusal>) => ReadonlyArray<Command>
  readonly wait: (seconds: number) => void
  /** The actor is lost; time may pass; the next look is another's. */
  readonly crash: () => void
  readonly value: () => unknown
  /** The reason of the stored Progressing condition. */
  readonly reason: () => string | undefined
  /** Second after the beginning at which it is said, by time alone, that the deadline has passed. */
  readonly overdueSecond: () => number
}

const secondsMax = 4000

export const makeRollout = (deployment: Deployment): Rollout => {
  const clock = makeClock(beginMillis)
  const stage = makeStage(deployment)
  let actor: Player | undefined
  const present = (): Player => (actor ??= play(deploymentMachine(), clock))
  const perform = (commands: ReadonlyArray<Command>): ReadonlyArray<Command> => {
    stage.perform(commands, clock.nowMillis())
    return commands
  }
  const look: Rollout["look"] = (rest = {}) =>
    perform(present().take({ type: "observed", seen: { ...stage.observe(clock.nowMillis()), ...rest } }))
  const wait: Rollout["wait"] = (seconds) =>
    clock.advance(seconds * 1000, () => {
      const commands = perform(actor?.take() ?? [])
      if (commands.some(({ type }) => type === "lookAgain")) look()
    })
  const reason: Rollout["reason"] = () => progressingCondition(stage.deployment())?.reason
  return {
    clock,
    stage,
    look,
    wait,
    reason,
    refuse: (refusal = {}) => {
      const refused = { command: "createReplicaSet", reason: "Forbidden", message: "no room", ...refusal }
      return perform(present().take({ type: "refused", refusal: refused }))
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
