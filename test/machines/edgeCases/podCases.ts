import { aLife, aPod } from "../podAndNodeObservations.ts"
import { makePodHarness } from "./podHarness.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { PodHarness } from "./podHarness.ts"

export const onNode = aPod({ node: "node-1" })

/** A container whose runs end like this, so many times. */
export const exits = (afterMillis: number, code: number, times = Infinity): ContainerLife =>
  aLife({ exit: { afterMillis, code, reason: code === 0 ? "Completed" : "Error", times } }).otherContainers
export const stoppingIn = (terminateMillis: number): PodLife => ({ ...aLife(), terminateMillis })

export const withDeadline = (activeDeadlineSeconds: number, pod = onNode): Pod => ({
  ...pod,
  spec: { ...pod.spec, activeDeadlineSeconds }
})

/** Milliseconds to wait, or another step. */
export type Step = number | ((harness: PodHarness) => unknown)
export const setDeadline =
  (seconds: number): Step =>
  (harness) =>
    harness.change((pod) => withDeadline(seconds, pod))
export const loseNode: Step = (harness) => harness.look({ kubelet: "lost" })
export const look: Step = (harness) => harness.look()
export const crash: Step = (harness) => harness.crash()
export const terminate =
  (seconds: number): Step =>
  (harness) =>
    harness.terminate(seconds)

export const play = (pod: Pod, life: PodLife, steps: ReadonlyArray<Step>): PodHarness => {
  const harness = makePodHarness(pod, life)
  harness.look()
  for (const step of steps) {
    if (typeof step === "number") harness.wait(step)
    else step(harness)
  }
  return harness
}

export interface PodCase {
  readonly why: string
  readonly pod?: Pod
  readonly life?: PodLife
  readonly steps: ReadonlyArray<Step>
  /** The last statuses: `1700 Running: running ready`. */
  readonly lines: ReadonlyArray<string>
  /** The states in which the chart is at the end, as XState writes them. */
  readonly value?: unknown
}

/** As much of the outcome as the case has expectations for. */
export const outcomeOf = ({ pod = onNode, life = aLife(), steps, lines, value }: PodCase) => {
  const harness = play(pod, life, steps)
  return {
    lines: harness.lines().slice(-lines.length),
    value: value === undefined ? undefined : harness.value()
  }
}
export const expectedOf = ({ lines, value }: PodCase) => ({ lines, value })
