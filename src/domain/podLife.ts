/**
 * How one pod will live, with every delay already drawn: what a behaviour tells the pod's chart. All times are
 * milliseconds of the cluster's own clock.
 */
export interface PodLife {
  /** Who moves the pod: its simulated kubelet, or nobody but you (`manual`). */
  readonly mover: "kubelet" | "you"
  /** From creation until the scheduler may bind it. */
  readonly scheduleMillis: number
  /**
   * By container name; a container that is missing here lives as `otherContainers` says, an init container with its
   * delays alone.
   */
  readonly containers: Readonly<Record<string, ContainerLife>>
  readonly otherContainers: ContainerLife
  /** From the request to stop until the last container has exited; the grace period cuts it short. */
  readonly terminateMillis: number
  /** Its kubelet has given it up: it is stopped, and has failed. Left out for any other Pod. */
  readonly verdict?: PodVerdict
}

/** Why a Pod has failed, as its status says it. */
export interface PodVerdict {
  readonly reason: string
  readonly message?: string
}

/** How one container of a pod will live. */
export interface ContainerLife {
  /** One pull of its image. */
  readonly pullMillis: number
  /** How many pulls fail before one succeeds; Infinity for an image that cannot be pulled. */
  readonly pullFailures: number
  /** What the registry says when a pull fails. */
  readonly pullError: string
  /** From the image being there until the container runs. */
  readonly startMillis: number
  /** From running until the application would answer a readiness or startup probe, or a liveness probe like it. */
  readonly readyMillis: number
  /** From running until it answers, where its Pod counts as ready before, since no probe of it asks; else left out. */
  readonly answersMillis?: number
  /** The run ends by itself; undefined for a container that runs for ever. */
  readonly exit: ContainerExit | undefined
  /** Readiness comes and goes; undefined for a container that stays ready. */
  readonly flap: ReadinessFlap | undefined
  /** From running until the application stops answering its liveness probe; undefined for never. */
  readonly hangMillis: number | undefined
  /** What has befallen one of its runs. Left out where nothing has. */
  readonly mishap?: RunMishap
}

/** What comes over one run of a container from outside, whatever its behaviour says. */
export interface RunMishap {
  /** Which run: how often the container had been started again by then. */
  readonly run: number
  /** It has ended, after so long. */
  readonly crash?: { readonly code: number; readonly reason: string; readonly ranMillis: number }
  /** It answers no probe from so long after its start. */
  readonly silentMillis?: number
}

/** A run that ends: a crash, an out-of-memory kill or a clean exit. */
export interface ContainerExit {
  readonly afterMillis: number
  readonly code: number
  /** `Error`, `Completed` or `OOMKilled`, as container statuses spell it. */
  readonly reason: string
  /** How many runs end so before one lasts; Infinity for a crash loop. */
  readonly times: number
}

/** The application answers its readiness probe for a while, then not, and again. */
export interface ReadinessFlap {
  readonly readyMillis: number
  readonly unreadyMillis: number
  /** How many times readiness is lost; Infinity for a container that never settles. */
  readonly times: number
}
