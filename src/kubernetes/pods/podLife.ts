/** All delays are in milliseconds of the cluster's clock. */
export interface PodLife {
  /** `you`: only clients change the Pod's status (behaviour `manual`). */
  readonly mover: "kubelet" | "you"
  readonly scheduleMillis: number
  /** Other containers use `otherContainers`, of which init containers take only the delays. */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From SIGTERM until the last container has exited; limited by the grace period. */
  readonly terminateMillis: number
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
  /** Infinity for an image that cannot be pulled. */
  readonly pullFailures: number
  readonly pullError: string
  /** From the pulled image until the container runs. */
  readonly startMillis: number
  /** From running until the application answers probes. */
  readonly readyMillis: number
  /** Set if the application answers later than its Pod is ready. */
  readonly answersMillis?: number
  /** Set if the liveness probe passes at another time than `readyMillis`. */
  readonly livesMillis?: number
  /** Undefined for a run that does not end by itself. */
  readonly exit: ContainerExit | undefined
  readonly flap: ReadinessFlap | undefined
  readonly hangMillis: number | undefined
  readonly terminateCode?: number | undefined
  readonly mishap?: RunFault
}

export interface RunFault {
  readonly run: number
  readonly crash?: { readonly code: number; readonly reason: string; readonly ranMillis: number }
  readonly silentMillis?: number
}

export interface ContainerExit {
  readonly afterMillis: number
  readonly code: number
  /** `Error`, `Completed` or `OOMKilled`. */
  readonly reason: string
  readonly times: number
}

export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** Infinity for a container that never settles. */
  readonly times: number
}
