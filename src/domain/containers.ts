import { imageSource, isImageName } from "./images.ts"
import { asksForReadiness, probeTiming } from "./probes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ImageSource } from "./images.ts"
import type { PodSpec } from "./objects.ts"
import type { ContainerLife, PodLife } from "./podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * One container of a Pod: what it is for, what it does, and what its actor is told to begin with.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go, pkg/kubelet/kuberuntime/kuberuntime_container.go.
 */
export interface ContainerFacts {
  readonly name: string
  readonly role: ContainerRole
  readonly doing: ContainerDoing
  readonly ready: boolean
  /** Its startup probe has succeeded, or it has none and runs. */
  readonly started: boolean
  readonly restartCount: number
  readonly lastExit: ContainerEnd | undefined
  /** Runs in a row that did not last: what the back-off is counted from. */
  readonly crashes: number
  /** What the registry said when the last pull failed. */
  readonly pullError: string | undefined
}

/** An init container runs to its end before the next begins; a sidecar is one that goes on running. */
export type ContainerRole = "app" | "init" | "sidecar"

export type ContainerDoing =
  /** Init containers come first, one after another: its turn has not come. */
  | "queued"
  | "creating"
  | "imageRefused"
  | "pullFailed"
  | "pullBackOff"
  | "crashBackOff"
  | "running"
  | "terminated"

export interface ContainerEnd {
  readonly code: number
  readonly reason: string
}

/** The end of a container that was told to go before it ever ran. */
export const neverRun: ContainerEnd = Object.freeze({ code: 137, reason: "ContainerStatusUnknown" })

/** What happened to a container, for those who are told of it. */
export type ContainerHappening =
  | "pulling"
  | "pulled"
  | "imageRefused"
  | "pullFailed"
  | "pullBackOff"
  | "started"
  | "startupPassed"
  | "ready"
  | "unready"
  | "livenessFailed"
  | "startupFailed"
  | "exited"
  | "crashBackOff"
  | "stopping"
  | "stopped"

/** A container as its actor is given it. */
export interface ContainerPlan extends StopTiming {
  readonly name: string
  readonly role: ContainerRole
  readonly life: ContainerLife
  readonly image: ImageSource
  /** Of the container, as far as its Pod's policy concerns it. */
  readonly restartPolicy: string
  readonly readiness: ProbeTiming | undefined
  readonly liveness: ProbeTiming | undefined
  readonly startup: ProbeTiming | undefined
  /** Whether its liveness probe is answered no sooner than its readiness probe would be. */
  readonly livesByReadiness: boolean
}

/** What decides how long a container takes to stop. */
export interface StopTiming {
  /** From the request to stop until the application has exited, if it is let. */
  readonly answerMillis: number
  /** How long its preStop hook takes, before the application is asked. */
  readonly hookMillis: number
  readonly graceMillis: number
}

export const containerPlan = (
  container: Core.Container,
  options: {
    readonly role: ContainerRole
    readonly spec: Pick<PodSpec, "restartPolicy" | "terminationGracePeriodSeconds">
    readonly life: PodLife
  }
): ContainerPlan => {
  const { role, spec } = options
  const life = containerLife(options.life, container.name, role)
  const traits = traitsOf(container)
  return {
    name: container.name,
    role,
    life,
    image: imageSource(container, traits.isImageValid, life),
    restartPolicy: restartPolicyOf(role, spec.restartPolicy ?? "Always"),
    readiness: traits.readiness,
    liveness: traits.liveness,
    startup: traits.startup,
    livesByReadiness: traits.livesByReadiness,
    answerMillis: options.life.terminateMillis,
    hookMillis: traits.hookMillis,
    graceMillis: (spec.terminationGracePeriodSeconds ?? 30) * 1000
  }
}

/** What the Pods of one template share of a container's plan. */
interface ContainerTraits extends Pick<
  ContainerPlan,
  "readiness" | "liveness" | "startup" | "livesByReadiness" | "hookMillis"
> {
  readonly isImageValid: boolean
}

const traitsByContainer = new WeakMap<Core.Container, ContainerTraits>()

const traitsOf = (container: Core.Container): ContainerTraits => {
  const known = traitsByContainer.get(container)
  if (known !== undefined) return known
  const traits = {
    isImageValid: isImageName(container.image ?? ""),
    readiness: probeTiming(container.readinessProbe),
    liveness: probeTiming(container.livenessProbe),
    startup: probeTiming(container.startupProbe),
    livesByReadiness: asksForReadiness(container),
    hookMillis: hookMillis(container)
  }
  traitsByContainer.set(container, traits)
  return traits
}

/**
 * How long a preStop hook holds a container up: one that sleeps, or whose command is to sleep.
 *
 * Unlike Kubernetes, nothing is run: other commands and requests are answered at once.
 */
const hookMillis = ({ lifecycle }: Core.Container): number => {
  const { sleep, exec } = lifecycle?.preStop ?? {}
  return (sleep?.seconds ?? sleepIn(exec?.command ?? [])) * 1000
}

const shell = /^(?:\/usr)?(?:\/bin\/)?(?:ba|da|a)?sh$/
const sleeping = /^(?:exec\s+)?(?:(?:\/usr)?\/bin\/)?sleep\s+(\d+(?:\.\d+)?)s?\s*$/

/** `sleep 10`, and the same through a shell, with what else it does: the seconds of all sleeps, one after another. */
const sleepIn = (command: ReadonlyArray<string>): number => {
  const [program = "", option = "", script = ""] = command
  const steps = shell.test(program) && /^-\w*c$/.test(option) ? script.split(/;|&&|\n/) : [command.join(" ")]
  return steps.reduce((seconds, step) => seconds + Number(sleeping.exec(step.trim())?.[1] ?? 0), 0)
}

/** How long the preStop hook of a container holds it up before it is told to stop. */
export const preStopMillis = (container: Core.Container): number => traitsOf(container).hookMillis

/** Whether the preStop hook of a container takes a time that nobody knows here, and is taken to be over at once. */
export const isPreStopUntimed = ({ lifecycle }: Core.Container): boolean => {
  const { exec, httpGet } = lifecycle?.preStop ?? {}
  return exec === undefined ? httpGet !== undefined : sleepIn(exec.command ?? []) === 0
}

/** An init container that has ended well is done; a sidecar is started again whatever the Pod's policy. */
const restartPolicyOf = (role: ContainerRole, policy: string): string => {
  if (role === "sidecar") return "Always"
  return role === "init" && policy === "Always" ? "OnFailure" : policy
}

/** What an init container is for. */
export const roleOfInit = ({ restartPolicy }: Core.Container): ContainerRole =>
  // Only init containers may have a policy of their own.
  restartPolicy === "Always" ? "sidecar" : "init"

/** The containers of a Pod that are to go on running, and so may be sent requests: its sidecars come last. */
export const lastingContainers = (spec: PodSpec): ReadonlyArray<Core.Container> => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter((it) => roleOfInit(it) === "sidecar")
]

/** A container of a Pod by its name, be it for init or not. */
export const containerOf = (spec: PodSpec, { name, role }: ContainerFacts): Core.Container | undefined => {
  const containers = role === "app" ? spec.containers : (spec.initContainers ?? [])
  return containers.find((container) => container.name === name)
}

/** How a container lives. An init container that a behaviour does not name has its delays, and goes well. */
export const containerLife = (life: PodLife, name: string, role: ContainerRole): ContainerLife => {
  // A container may well be called `constructor`.
  const own = Object.hasOwn(life.containers, name) ? life.containers[name] : undefined
  if (own !== undefined) return own
  return role === "app" ? life.otherContainers : faultless(life.otherContainers)
}

const faultlessLives = new WeakMap<ContainerLife, ContainerLife>()

const faultless = (life: ContainerLife): ContainerLife => {
  const known = faultlessLives.get(life)
  if (known !== undefined) return known
  const made = { ...life, pullFailures: 0, exit: undefined, flap: undefined, hangMillis: undefined }
  faultlessLives.set(life, made)
  return made
}

/** Whether a container has ended and will not run again. */
export const isDone = ({ doing, role, lastExit }: ContainerFacts, podPolicy: string): boolean => {
  if (doing !== "terminated") return false
  const policy = restartPolicyOf(role, podPolicy)
  return policy === "Never" || (policy === "OnFailure" && lastExit?.code === 0)
}

/** Whether a container has run, or runs. */
export const hasBegun = ({ doing, lastExit }: ContainerFacts): boolean =>
  doing === "running" || lastExit !== undefined
