/**
 * What may be said about how simulated pods live. Whatever is left out is as in the built-in behaviour
 * `steady`.
 */
export interface Behaviour extends BehaviourSpec {
  /** An RFC 1123 subdomain: how `--behaviour` and the annotation `charthouse.dev/behaviour` choose it. */
  readonly name: string
}

/** A behaviour as a Kubernetes-shaped document, for files. */
export interface BehaviourDocument {
  readonly apiVersion: typeof behaviourApiVersion
  readonly kind: "Behaviour"
  readonly metadata: { readonly name: string }
  readonly spec: BehaviourSpec
}

export const behaviourApiVersion = "charthouse.dev/v1"

/**
 * What the fields of ContainerBehaviour say here holds for every container that `containers` does not name: where
 * `match` names an image, for those alone that have it. Of an init container that `containers` does not name only the
 * delays do, and nothing goes wrong with it, but where `match` names its image: then all of it does, and if a container
 * that comes after it has the image as well, how it is pulled.
 */
export interface BehaviourSpec extends ContainerBehaviour {
  /** Which pods, or which containers of them, live so. Without it only pods for which it is chosen by name do. */
  readonly match?: PodMatch
  /** `you`: nothing happens to the pod until you say so. Otherwise its simulated kubelet moves it. */
  readonly mover?: "kubelet" | "you"
  /** From creation until the scheduler may bind the pod. */
  readonly schedule?: Delay
  /** From the request to stop until the last container has exited; the grace period cuts it short. */
  readonly terminate?: Delay
  /** By container name, be it for init or not: what is different for that container. */
  readonly containers?: Readonly<Record<string, ContainerBehaviour>>
}

/** All that is given must hold. */
export interface PodMatch {
  /**
   * A glob that the image of a container fits; `*` stands for any text, slashes included. The other containers of the
   * Pod live by the next behaviour that matches. When it is bound and how it stops, that of an init container does not
   * say.
   */
  readonly image?: string
  /** A glob that the pod's name fits. */
  readonly name?: string
  /** Labels the pod has, with exactly these values. */
  readonly labels?: Readonly<Record<string, string>>
}

/** How one container lives. */
export interface ContainerBehaviour {
  readonly pull?: PullBehaviour
  /** From the image being there until the container runs. */
  readonly start?: Delay
  /**
   * From running until the application answers a readiness or startup probe, or a liveness probe that asks for what
   * the readiness probe asks for, or that is the only probe.
   */
  readonly ready?: Delay
  /** The run ends by itself. What is to end, an init container, ends well at once where this says nothing. */
  readonly exit?: ExitBehaviour
  /** Readiness comes and goes. */
  readonly flap?: FlapBehaviour
  /** From running until the application stops answering its liveness probe. */
  readonly hang?: Delay
}

export interface PullBehaviour {
  /** How long one pull of the image takes. */
  readonly delay?: Delay
  /** How many pulls fail before one succeeds; 0 when left out. */
  readonly failures?: Times
  /** What the registry says when a pull fails. */
  readonly error?: string
}

export interface ExitBehaviour {
  /** From running until the run ends. */
  readonly after: Delay
  /** 0 to 255. Left out, it follows from the reason: 0 for Completed, 137 for OOMKilled, else 1. */
  readonly code?: number
  /** Left out, it follows from the code: Completed for 0, else Error. */
  readonly reason?: ExitReason
  /** How many runs end so before one lasts; forever when left out. */
  readonly times?: Times
}

/** The reasons of a terminated container, as container statuses spell them. */
type ExitReason = "Completed" | "Error" | "OOMKilled"

export interface FlapBehaviour {
  readonly ready: Delay
  readonly unready: Delay
  /** How many times readiness is lost; forever when left out. */
  readonly times?: Times
}

export type Times = number | "forever"

/** Go's notation, in whole milliseconds: `250ms`, `1.5s`, `1h30m`. */
export type DurationText = string

/** A fixed time, or a distribution from which each pod draws its own. */
export type Delay = DurationText | Distribution

export type Distribution =
  | { readonly uniform: readonly [min: DurationText, max: DurationText] }
  /** Cut off at zero: what would be negative is no delay at all. */
  | { readonly normal: { readonly mean: DurationText; readonly deviation: DurationText } }
  | { readonly exponential: { readonly mean: DurationText } }

/** The exit code and reason of a run that ends, each following from the other where only one is given. */
export const exitStatusOf = (exit: ExitBehaviour): { readonly code: number; readonly reason: ExitReason } => {
  const code = exit.code ?? (exit.reason === undefined ? 1 : codeByReason[exit.reason])
  return { code, reason: exit.reason ?? (code === 0 ? "Completed" : "Error") }
}

/** 137 is 128 + SIGKILL, what a process ends with when the kernel runs out of memory for it. */
const codeByReason: Readonly<Record<ExitReason, number>> = { Completed: 0, Error: 1, OOMKilled: 137 }
