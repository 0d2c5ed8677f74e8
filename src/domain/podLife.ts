/** The life of one Pod: what its behaviour drew for it, with all delays in milliseconds of the cluster's clock. */
export interface PodLife {
  /** `kubelet`: the simulated kubelet changes its status. `you`: only API writes do (`manual`). */
  readonly mover: "kubelet" | "you"
  readonly scheduleMillis: number
  /** By container name; other containers use `otherContainers`, of which init containers take the delays only. */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From SIGTERM until the last container has exited; limited by the grace period. */
  readonly terminateMillis: number
  readonly verdict?: PodVerdict
}

export interface PodVerdict {
  readonly reason: string
  readonly message?: string
}

export interface ContainerLife {
  readonly pullMillis: number
  /** Failed pulls before the first success; Infinity for an image that cannot be pulled. */
  readonly pullFailures: number
  readonly pullError: string
  /** From the pulled image until the container runs. */
  readonly startMillis: number
  readonly readyMillis: number
  /** From running until it answers, if its Pod is ready earlier, having no probe that asks it. */
  readonly answersMillis?: number
  readonly exit: ContainerExit | undefined
  readonly flap: ReadinessFlap | undefined
  /** From running until the application stops answering its liveness probe; undefined for never. */
  readonly hangMillis: number | undefined
  readonly mishap?: RunMishap
}

export interface RunMishap {
  readonly run: number
  readonly crash?: { readonly code: number; readonly reason: string; readonly ranMillis: number }
  readonly silentMillis?: number
}

export interface ContainerExit {
  readonly afterMillis: number
  readonly code: number
  readonly reason: string
  /** Runs that end so before one lasts; Infinity for a crash loop. */
  readonly times: number
}

export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** How often readiness is lost; Infinity for a container that never settles. */
  readonly times: number
}
