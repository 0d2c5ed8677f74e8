import type {
  BehaviourSpec,
  ContainerBehaviour,
  Delay,
  Distribution,
  ExitBehaviour,
  FlapBehaviour,
  PodMatch
} from "./behaviour.ts"
import { exitStatusOf } from "./behaviour.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"

/** Fields of a behaviour that exclude each other, as an issue of Effect Schema. */
interface Contradiction {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
}

export const expectedDuration = 'a duration with its unit, such as "250ms", "1.5s" or "1h30m"'

export const durationProblem = (text: string): string | undefined => {
  const millis = parseDuration(text)
  if (millis === undefined) {
    return `must be ${expectedDuration}, not ${JSON.stringify(text)}`
  }
  if (text.startsWith("-")) return `must not be negative, as ${text} is`
  if (!Number.isInteger(millis)) return `must be whole milliseconds, which ${text} is not`
  return undefined
}

export const distributionContradictions = (distribution: Distribution): ReadonlyArray<Contradiction> => {
  if (!("uniform" in distribution)) return []
  const [min, max] = distribution.uniform
  return millisOf(min) <= millisOf(max)
    ? []
    : [{ path: ["uniform"], issue: `the first bound, ${min}, must not exceed the second, ${max}` }]
}

export const matchContradictions = (match: PodMatch): ReadonlyArray<Contradiction> =>
  match.image === undefined && match.name === undefined && Object.keys(match.labels ?? {}).length === 0
    ? [{ path: [], issue: 'matches every pod; if that is meant, say name: "*"' }]
    : []

export const exitContradictions = (exit: ExitBehaviour): ReadonlyArray<Contradiction> => {
  const { code, reason } = exitStatusOf(exit)
  if (reason === "Completed" && code !== 0) {
    return [{ path: ["reason"], issue: `a run with exit code ${code} is not Completed` }]
  }
  if (reason === "Error" && code === 0) {
    return [{ path: ["reason"], issue: "a run with exit code 0 is not an Error" }]
  }
  if (reason === "OOMKilled" && code !== 137) {
    return [{ path: ["code"], issue: `a container that is OOMKilled exits with 137 (SIGKILL), not ${code}` }]
  }
  return []
}

export const flapContradictions = (flap: FlapBehaviour): ReadonlyArray<Contradiction> =>
  isAlwaysZero(flap.ready) && isAlwaysZero(flap.unready)
    ? [{ path: [], issue: "ready and unready must not both take no time" }]
    : []

export const specContradictions = (spec: BehaviourSpec): ReadonlyArray<Contradiction> => [
  ...moverContradictions(spec),
  ...pullContradictions(spec)
]

const kubeletFields = [
  "schedule",
  "pull",
  "start",
  "ready",
  "exit",
  "flap",
  "hang",
  "terminate",
  "terminateCode",
  "containers"
] as const satisfies ReadonlyArray<keyof BehaviourSpec>

/** With `mover: you`, no kubelet runs the Pods: a program writes their statuses. */
const moverContradictions = (spec: BehaviourSpec): ReadonlyArray<Contradiction> =>
  spec.mover === "you"
    ? kubeletFields
        .filter((field) => spec[field] !== undefined)
        .map((field) => ({ path: [field], issue: "has no effect on pods whose mover is you" }))
    : []

const pullContradictions = (spec: BehaviourSpec): ReadonlyArray<Contradiction> => {
  const containers = Object.entries(spec.containers ?? {})
  const hasFailingPull = (container: ContainerBehaviour): boolean =>
    (container.pull?.failures ?? spec.pull?.failures ?? 0) !== 0
  const issue = "is never used, because no pull fails: say with failures how many do"
  const specIssues = [spec, ...containers.map(([, container]) => container)].some(hasFailingPull)
    ? []
    : [spec].filter(hasPullError).map(() => ({ path: ["pull", "error"], issue }))
  const containerIssues = containers
    .filter(([, container]) => hasPullError(container) && !hasFailingPull(container))
    .map(([name]) => ({ path: ["containers", name, "pull", "error"], issue }))
  return [...specIssues, ...containerIssues]
}

const hasPullError = (container: ContainerBehaviour): boolean => container.pull?.error !== undefined

const isAlwaysZero = (delay: Delay): boolean => {
  if (typeof delay === "string") return millisOf(delay) === 0
  if ("uniform" in delay) return delay.uniform.every((bound) => millisOf(bound) === 0)
  if ("normal" in delay) return millisOf(delay.normal.mean) === 0 && millisOf(delay.normal.deviation) === 0
  return millisOf(delay.exponential.mean) === 0
}

const millisOf = (text: string): number => parseDuration(text) ?? 0
