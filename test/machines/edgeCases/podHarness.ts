import { podMachine } from "../../../machines/pod.ts"
import { observedPod, reportedPod } from "../podAndNodeObservations.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { beginMillis } from "../workloadObservations.ts"
import type { PodObservation } from "../../../machines/guards/podGuards.ts"
import type { Command } from "../../../src/kubernetes/apps/commands.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { ChartActor } from "../chartActor.ts"

/** A Pod and its actor without a store: its reports are applied at once, and it is bound on request. */
export interface PodHarness {
  readonly pod: () => Pod
  /** Shows the Pod to its actor and carries out the commands, which it returns. `rest` replaces parts of what is shown. */
  readonly look: (rest?: Partial<PodObservation>) => ReadonlyArray<Command>
  readonly wait: (millis: number) => void
  readonly change: (change: (pod: Pod) => Pod) => void
  readonly terminate: (graceSeconds: number) => void
  /** Drops the actor; the next look starts a new one. */
  readonly crash: () => void
  /** The states in which the chart is, as XState writes them. */
  readonly value: () => unknown
  /** Whether time alone will change its state. */
  readonly isMoving: () => boolean
  /** The statuses since the last call: `1700 Running: running ready`. */
  readonly lines: () => ReadonlyArray<string>
  /** How many statuses were reported since the last call, equal ones included. */
  readonly reports: () => number
  /** The reasons of events since the last call, with their times. */
  readonly events: () => ReadonlyArray<string>
}

export const makePodHarness = (first: Pod, life: PodLife): PodHarness => {
  const clock = makeClock(beginMillis)
  let pod = first
  let actor: ChartActor | undefined
  let lastText = ""
  const lines: Array<string> = []
  const events: Array<string> = []
  let reports = 0
  const passedMillis = (): number => clock.nowMillis() - beginMillis
  const addLine = (text: string): void => {
    if (text !== lastText) lines.push(`${passedMillis()} ${text}`)
    lastText = text
  }
  const carryOut = (command: Command): void => {
    if (command.type === "reportPod") {
      reports += 1
      pod = reportedPod(pod, command, clock.nowMillis())
      addLine(textOf(pod))
    }
    if (command.type === "removePod") addLine("gone")
    if (command.type === "recordEvent") events.push(`${passedMillis()} ${command.reason}`)
    if (command.type === "requestBinding") {
      addLine("bound")
      pod = { ...pod, spec: { ...pod.spec, nodeName: "node-1" } }
    }
  }
  const present = (): ChartActor => (actor ??= startChart(podMachine, clock))
  const look: PodHarness["look"] = (rest = {}) => {
    const seen = observedPod(pod, life, { nowMillis: clock.nowMillis(), ...rest })
    const commands = present().take({ type: "observed", seen })
    commands.forEach(carryOut)
    return commands
  }
  const change: PodHarness["change"] = (edit) => {
    pod = edit(pod)
    look()
  }
  return {
    pod: () => pod,
    look,
    change,
    wait: (millis) => clock.advance(millis, () => actor?.take().forEach(carryOut)),
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

/** `Running: running ready x2, terminated 137`: the phase and each container, init containers first. */
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
