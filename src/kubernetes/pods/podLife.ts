/** What a Pod has drawn from its behaviour. All delays are in milliseconds of the cluster's clock. */
export interface PodLife {
  /** `you`: only clients change the Pod's status (behaviour `manual`). */
  readonly mover: "kubelet" | "you"
  readonly scheduleMillis: number
  /** By container name. Other containers use `otherContainers`; init containers take only its delays. */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From SIGTERM until the last container has exited; limited by the grace period. */
  readonly terminateMillis: number
  readonly eviction?: KubeletEnding
}

/** Why the kubelet makes a Pod fail. */
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
  /** From running until the application answers, if its Pod is ready earlier. */
  readonly answersMillis?: number
  /** From running until the liveness probe passes, if not `readyMillis`. */
  readonly livesMillis?: number
  /** Undefined for a run that does not end by itself. */
  readonly exit: ContainerExit | undefined
  readonly flap: ReadinessFlap | undefined
  /** From running until the application never answers probes again. */
  readonly hangMillis: number | undefined
  /** The exit code after SIGTERM. */
  readonly terminateCode?: number | undefined
  readonly runFault?: RunFault
}

export interface RunFault {
  /** The `restartCount` of the affected run. */
  readonly run: number
  readonly crash?: { readonly code: number; readonly reason: string; readonly ranMillis: number }
  /** From running until the application no longer answers probes. */
  readonly silentMillis?: number
}

export interface ContainerExit {
  readonly afterMillis: number
  readonly code: number
  /** `Error`, `Completed` or `OOMKilled`. */
  readonly reason: string
  /** How many runs end like this, from the first on. */
  readonly times: number
}

export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** Infinity for a container that never settles. */
  readonly times: number
}
