/** The life of one Pod: what its behaviour drew for it, with all delays in milliseconds of the cluster's clock. */
export interface PodLife {
  /** `kubelet`: the simulated kubelet changes the Pod's status. `you`: only clients do (behaviour `manual`). */
  readonly mover: "kubelet" | "you"
  /** From creation until the scheduler may bind it. */
  readonly scheduleMillis: number
  /** By container name; other containers use `otherContainers`, of which init containers take the delays only. */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From SIGTERM until the last container has exited; limited by the grace period. */
  readonly terminateMillis: number
  /** Why the kubelet has ended the Pod; omitted unless it has. */
  readonly eviction?: KubeletEnding
}

/** Why the kubelet has ended a Pod, as in the Pod's status. */
export interface KubeletEnding {
  readonly reason: string
  readonly message?: string
}

/**
 * `deleted`: its deletion was requested. `overdue`: `activeDeadlineSeconds` has passed. A
 * `KubeletEnding`: the kubelet has ended it.
 */
export type PodEnding = "deleted" | "overdue" | KubeletEnding

export interface ContainerLife {
  readonly pullMillis: number
  /** Failed pulls before the first success; Infinity for an image that cannot be pulled. */
  readonly pullFailures: number
  readonly pullError: string
  /** From the pulled image until the container runs. */
  readonly startMillis: number
  /** From running until the application answers a readiness or startup probe, or a liveness probe like it. */
  readonly readyMillis: number
  /** From running until the application answers, where its Pod is ready before that for lack of a readiness probe. */
  readonly answersMillis?: number
  /** From running until the application answers its liveness probe, where that does not follow from `readyMillis`. */
  readonly livesMillis?: number
  /** How the run ends by itself; undefined if it does not. */
  readonly exit: ContainerExit | undefined
  /** How its readiness is lost and comes back; undefined for a container that stays ready. */
  readonly flap: ReadinessFlap | undefined
  /** From running until the application stops answering its liveness probe; undefined for never. */
  readonly hangMillis: number | undefined
  /** The exit code after SIGTERM; 0 by default. */
  readonly terminateCode?: number | undefined
  /** The fault injected into one of its runs. */
  readonly mishap?: RunFault
}

/** A fault injected into one run of a container: it crashes, or answers no probe. */
export interface RunFault {
  /** The restart count of the run. */
  readonly run: number
  /** `ranMillis`: how long the run had lasted by then. */
  readonly crash?: { readonly code: number; readonly reason: string; readonly ranMillis: number }
  /** The run answers no probe from this time after its start. */
  readonly silentMillis?: number
}

export interface ContainerExit {
  /** From running until the exit. */
  readonly afterMillis: number
  readonly code: number
  /** `Error`, `Completed` or `OOMKilled`. */
  readonly reason: string
  /** Runs that end so before one lasts; Infinity for a crash loop. */
  readonly times: number
}

/** A container that is ready and unready by turns, for these times. */
export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** How often readiness is lost; Infinity for a container that never settles. */
  readonly times: number
}
