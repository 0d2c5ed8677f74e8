import { aLife, aPod } from "../leafWorlds.ts"
import { makePodStage } from "./podStage.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import type { PodStage } from "./podStage.ts"

/** What may happen to a Pod, in the words of a test's table. */
export const onNode = aPod({ node: "node-1" })

/** A container whose runs end so, as often as is said. */
export const exits = (afterMillis: number, code: number, times = Infinity): ContainerLife =>
  aLife({ exit: { afterMillis, code, reason: code === 0 ? "Completed" : "Error", times } }).otherContainers
export const stopping = (terminateMillis: number): PodLife => ({ ...aLife(), terminateMillis })

export const within = (activeDeadlineSeconds: number, pod = onNode): Pod => ({
  ...pod,
  spec: { ...pod.spec, activeDeadlineSeconds }
})

/** Milliseconds that pass, or something else. */
export type Step = number | ((stage: PodStage) => unknown)
export const limit =
  (seconds: number): Step =>
  (stage) =>
    stage.change((pod) => within(seconds, pod))
export const lose: Step = (stage) => stage.look({ kubelet: "lost" })
export const look: Step = (stage) => stage.look()
export const crash: Step = (stage) => stage.crash()
export const terminate =
  (seconds: number): Step =>
  (stage) =>
    stage.terminate(seconds)

export const play = (pod: Pod, life: PodLife, steps: ReadonlyArray<Step>): PodStage => {
  const stage = makePodStage(pod, life)
  stage.look()
  for (const step of steps) {
    if (typeof step === "number") stage.wait(step)
    else step(stage)
  }
  return stage
}

export interface Story {
  readonly why: string
  readonly pod?: Pod
  readonly life?: PodLife
  readonly steps: ReadonlyArray<Step>
  /** What is said from some line on. */
  readonly lines: ReadonlyArray<string>
  /** Where the Pod is then. */
  readonly value?: unknown
}

/** As much of what came of it as the story tells. */
export const outcomeOf = ({ pod = onNode, life = aLife(), steps, lines, value }: Story) => {
  const stage = play(pod, life, steps)
  return {
    lines: stage.lines().slice(-lines.length),
    value: value === undefined ? undefined : stage.value()
  }
}
export const toldBy = ({ lines, value }: Story) => ({ lines, value })
