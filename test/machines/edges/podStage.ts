import { podMachine } from "../../../machines/pod.ts"
import { observedPod, reportedPod } from "../leafWorlds.ts"
import { makeClock, play } from "../player.ts"
import { beginMillis } from "../worlds.ts"
import type { PodObservation } from "../../../machines/podSetup.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { Player } from "../player.ts"

/** A Pod and its actor, without a store: what it reports is stored at once, and the Pod is bound when it asks. */
export interface PodStage {
  readonly pod: () => Pod
  readonly look: (rest?: Partial<PodObservation>) => ReadonlyArray<Command>
  readonly wait: (millis: number) => void
  /** Changes the stored Pod and looks. */
  readonly change: (change: (pod: Pod) => Pod) => void
  /** Asks the Pod to go, now, and looks. */
  readonly terminate: (graceSeconds: number) => void
  /** The actor is lost; the next look is another's. */
  readonly crash: () => void
  readonly value: () => unknown
  /** Whether time alone will move it on. */
  readonly isMoving: () => boolean
  /** What the status has come to since this was asked last: `1700 Running: running ready`. */
  readonly lines: () => ReadonlyArray<string>
  /** How often a status was reported since this was asked last, be it the same. */
  readonly reports: () => number
  /** Reasons of the events recorded since this was asked last, with the time of each. */
  readonly events: () => ReadonlyArray<string>
}

export const makePodStage = (first: Pod, life: PodLife): PodStage => {
  const clock = makeClock(beginMillis)
  let pod = first
  let actor: Player | undefined
  let shown = ""
  const lines: Array<string> = []
  const events: Array<string> = []
  let reports = 0
  const passedMillis = (): number => clock.nowMillis() - beginMillis
  const say = (text: string): void => {
    if (text !== shown) lines.push(`${passedMillis()} ${text}`)
    shown = text
  }
  const perform = (command: Command): void => {
    if (command.type === "reportPod") {
      reports += 1
      pod = reportedPod(pod, command, clock.nowMillis())
      say(textOf(pod))
    }
    if (command.type === "removePod") say("gone")
    if (command.type === "recordEvent") events.push(`${passedMillis()} ${command.reason}`)
    if (command.type === "requestBinding") {
      say("bound")
      pod = { ...pod, spec: { ...pod.spec, nodeName: "node-1" } }
    }
  }
  const present = (): Player => (actor ??= play(podMachine, clock))
  const look: PodStage["look"] = (rest = {}) => {
    const seen = observedPod(pod, life, { nowMillis: clock.nowMillis(), ...rest })
    const commands = present().take({ type: "observed", seen })
    commands.forEach(perform)
    return commands
  }
  const change: PodStage["change"] = (to) => {
    pod = to(pod)
    look()
  }
  return {
    pod: () => pod,
    look,
    change,
    wait: (millis) => clock.advance(millis, () => actor?.take().forEach(perform)),
    terminate: (graceSeconds) => {
      const deletion = {
        deletionTimestamp: new Date(clock.nowMillis() + graceSeconds * 1000).toISOString(),
        deletionGracePeriodSeconds: graceSeconds
      }
      change((it) => ({ ...it, metadata: { ...it.metadata, ...deletion } }))
    },
    crash: () => {
      actor?.stop()
      actor = undefined
    },
    value: () => present().value(),
    isMoving: () => present().snapshot().hasTag("moving"),
    lines: () => lines.splice(0),
    reports: () => {
      const count = reports
      reports = 0
      return count
    },
    events: () => events.splice(0)
  }
}

/** `Running: running ready x2, terminated 137`: the phase, and each container, those for init first. */
const textOf = ({ status }: Pod): string => {
  const { initContainerStatuses = [], containerStatuses = [] } = status
  const reason = status.reason === undefined ? "" : ` (${status.reason})`
  return `${status.phase}${reason}: ${[...initContainerStatuses, ...containerStatuses].map(stateText).join(", ")}`
}

const stateText = ({ state, ready, started, restartCount }: ContainerStatus): string =>
  [
    state?.waiting?.reason ?? (state?.running === undefined ? "" : "running"),
    ...(state?.terminated === undefined ? [] : [`${state.terminated.reason} ${state.terminated.exitCode}`]),
    ...(started === true ? ["started"] : []),
    ...(ready ? ["ready"] : []),
    ...(restartCount > 0 ? [`x${restartCount}`] : [])
  ]
    .filter((word) => word !== "")
    .join(" ")
