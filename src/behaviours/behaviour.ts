import type { ContainerUsage, Load, LoadRate } from "./load/load.ts"

/** How simulated Pods live. Missing fields are those of the built-in behaviour `steady`. */
export interface Behaviour extends BehaviourSpec {
  /** An RFC 1123 subdomain, for `--behaviour` and the annotation `charthouse.dev/behaviour`. */
  readonly name: string
}

export interface BehaviourDocument {
  readonly apiVersion: typeof behaviourApiVersion
  readonly kind: "Behaviour"
  readonly metadata: { readonly name: string }
  readonly spec: BehaviourSpec
}

export const behaviourApiVersion = "charthouse.dev/v1"

/**
 * The fields of ContainerBehaviour at this level hold for each container that `containers` does not name. If `match`
 * names an image, they hold only for containers with that image.
 * For init and ephemeral containers that `containers` does not name, only the delays hold, and they never fail. But
 * if `match` names the init container's image, all fields hold; if a later container has the same image, only the
 * delays and the pull failures do.
 */
export interface BehaviourSpec extends ContainerBehaviour {
  /** Which Pods or containers use this behaviour. Without `match`, only Pods that choose it by name do. */
  readonly match?: PodMatch
  /** `kubelet`: the simulated kubelet runs the Pod. `you`: only your writes change its status. */
  readonly mover?: "kubelet" | "you"
  /** From creation until the scheduler may bind the Pod. */
  readonly schedule?: Delay
  /** From the deletion request until the last container has exited, at most the grace period. */
  readonly terminate?: Delay
  /** Requests that the Pods share while they are ready. */
  readonly load?: Load
  /** Custom metrics of each running Pod, by their names. */
  readonly metrics?: Readonly<Record<string, LoadRate>>
  /** Overrides by container name, for init containers as well. */
  readonly containers?: Readonly<Record<string, ContainerBehaviour>>
}

/** All given fields must match. */
export interface PodMatch {
  /**
   * Glob for a container's image; `*` stands for any text, slashes included. The Pod's other containers use the next
   * behaviour that matches. A match of an init container leaves the Pod's `schedule` and `terminate` as they are.
   */
  readonly image?: string
  /** Glob for the Pod's name. */
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface ContainerBehaviour {
  readonly pull?: PullBehaviour
  /** From the pulled image until the container runs. */
  readonly start?: Delay
  /**
   * From running until the application answers its readiness and startup probes. A liveness probe is answered then,
   * too, if it has the readiness probe's target or is the only probe.
   */
  readonly ready?: Delay
  /** How a run ends by itself. Without `exit`, init containers succeed at once, and other containers run on. */
  readonly exit?: ExitBehaviour
  readonly flap?: FlapBehaviour
  /** From running until the application stops answering its liveness probe. */
  readonly hang?: Delay
  /**
   * The exit code after SIGTERM: 0 by default, 143 for a program that does not handle the signal. A container that
   * SIGKILL ends has 137.
   */
  readonly terminateCode?: number
  /** What it uses while it runs, beside its share of the load. */
  readonly usage?: ContainerUsage
}

export interface PullBehaviour {
  readonly delay?: Delay
  /** How many pulls fail before one succeeds; default 0. */
  readonly failures?: Times
  readonly error?: string
}

export interface ExitBehaviour {
  /** From running until the run ends. */
  readonly after: Delay
  /** 0 to 255. Default: 0 for Completed, 137 for OOMKilled, else 1. */
  readonly code?: number
  /** Default: Completed for exit code 0, else Error. */
  readonly reason?: ExitReason
  /** How many runs end this way before one keeps running; default `forever`. */
  readonly times?: Times
}

type ExitReason = "Completed" | "Error" | "OOMKilled"

export interface FlapBehaviour {
  /** How long the container stays ready, and then unready. */
  readonly ready: Delay
  readonly unready: Delay
  /** How many times readiness is lost; default `forever`. */
  readonly times?: Times
}

/** How often something happens. */
export type Times = number | "forever"

/** Go's duration notation, in whole milliseconds: `250ms`, `1.5s`, `1h30m`. */
export type DurationText = string

export type Delay = DurationText | Distribution

export type Distribution =
  | { readonly uniform: readonly [min: DurationText, max: DurationText] }
  /** Negative draws count as zero. */
  | { readonly normal: { readonly mean: DurationText; readonly deviation: DurationText } }
  | { readonly exponential: { readonly mean: DurationText } }

/** If only one of exit code and reason is given, it determines the other. */
export const exitStatusOf = (exit: ExitBehaviour): { readonly code: number; readonly reason: ExitReason } => {
  const code = exit.code ?? (exit.reason === undefined ? 1 : codeByReason[exit.reason])
  return { code, reason: exit.reason ?? (code === 0 ? "Completed" : "Error") }
}

/** 128 + SIGKILL: the process was killed for lack of memory. */
const codeByReason: Readonly<Record<ExitReason, number>> = { Completed: 0, Error: 1, OOMKilled: 137 }
