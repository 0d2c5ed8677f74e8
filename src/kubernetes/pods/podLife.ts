/** What the behaviour drew for a Pod; all delays are in milliseconds of the cluster's clock. */
export interface PodLife {
  /** `you`: only clients change the Pod's status (behaviour `manual`). */
  readonly mover: "kubelet" | "you"
  /** From creation until the scheduler may bind the Pod. */
  readonly scheduleMillis: number
  /** By container name; others use `otherContainers`, of which init containers take only the delays. */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From SIGTERM until the last container has exited; limited by the grace period. */
  readonly terminateMillis: number
  /** Set once the kubelet has ended the Pod. */
  readonly eviction?: KubeletEnding
}

export interface KubeletEnding {
  readonly reason: string
  readonly message?: string
}

/** `overdue`: `activeDeadlineSeconds` has passed. */
export type PodEnding = "deleted" | "overdue" | KubeletEnding

export interface ContainerLife {
  readonly pullMillis: number
  /** Failed pulls before the first success; Infinity for an image that cannot be pulled. */
  readonly pullFailures: number
  readonly pullError: string
  /** From the pulled image until the container runs. */
  readonly startMillis: number
  /** From running until the application answers probes. */
  readonly readyMillis: number
  /**
   * From running until the application answers, if its Pod is ready earlier for lack of a readiness probe.
   */
  readonly answersMillis?: number
  /** From running until the application answers its liveness probe, if not given by `readyMillis`. */
  readonly livesMillis?: number
  /** Undefined for a run that does not end by itself. */
  readonly exit: ContainerExit | undefined
  /** Undefined for a container that stays ready. */
  readonly flap: ReadinessFlap | undefined
  /** From running until the application stops answering its liveness probe; undefined for never. */
  readonly hangMillis: number | undefined
  /** 0 by default. */
  readonly terminateCode?: number | undefined
  readonly mishap?: RunFault
}

export interface RunFault {
  /** The restart count of the run. */
  readonly run: number
  /** `ranMillis`: how long the run lasted before the crash. */
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
  /** The number of runs that end this way; Infinity for a crash loop. */
  readonly times: number
}

export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** How often readiness is lost; Infinity for a container that never settles. */
  readonly times: number
}
