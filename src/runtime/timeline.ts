import { TaggedError } from "effect/Data"
import { makeKernel } from "./kernel.ts"
import type { Kernel } from "./kernel.ts"

/**
 * What drives the kernel's time: nobody but its user (virtual), or the machine's clock, at its own pace or faster.
 */
export interface Timeline {
  readonly kernel: Kernel
  /** Only a virtual timeline can be moved by hand. */
  readonly isVirtual: boolean
  /** Brings the present instant up to date and does what is due; for whoever comes from outside. */
  readonly catchUp: () => void
  /**
   * Brings the present instant up to date for one of many who may come at once. What those before have set going goes
   * on when all have been heard, so that it is done once for all of them, as a work queue would.
   */
  readonly arrive: () => void
  /** Calls back when the timeline is closed. Returns how to stop. */
  readonly onClose: (callback: () => void) => () => void
  /** Stops the drive and drops every timer; who waits is told. */
  readonly close: () => void
}

/** The cluster has been closed: nothing happens in it any more. */
export class ClusterClosed extends TaggedError("ClusterClosed") {
  override get message(): string {
    return "the cluster is closed"
  }
}

/** `virtual`; `real`; or so many times as fast as the machine's clock. */
export type ClockSetting = "virtual" | "real" | { readonly speed: number }

interface TimelineOptions {
  readonly clock: ClockSetting
  /** Where time begins, in Unix milliseconds. */
  readonly startMillis: number
  readonly shuffleSeed?: number
}

export const makeTimeline = ({ clock, ...options }: TimelineOptions): Timeline =>
  clock === "virtual" ? virtual(options) : paced(options, clock === "real" ? 1 : clock.speed)

type KernelStart = Omit<TimelineOptions, "clock">

const virtual = (options: KernelStart): Timeline => {
  const kernel = makeKernel(options)
  // What a promise or a socket brings in from outside is done at the present instant.
  let planned: NodeJS.Immediate | undefined
  const catchUp = (): void => {
    clearImmediate(planned)
    planned = undefined
    kernel.drain()
  }
  kernel.onWake(() => {
    planned ??= setImmediate(catchUp)
  })
  return {
    kernel,
    isVirtual: true,
    catchUp,
    arrive: () => {
      if (planned === undefined) catchUp()
    },
    ...closing(() => {
      clearImmediate(planned)
      kernel.close()
    })
  }
}

/** The longest wait that a timer of the machine can take. */
const waitMaxMillis = 2_147_483_647

const paced = (options: KernelStart, speed: number): Timeline => {
  const kernel = makeKernel(options)
  const begun = performance.now()
  let waiting: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  let closed = false

  const present = (): number => options.startMillis + (performance.now() - begun) * speed
  const catchUp = (): void => {
    if (closed) return
    clearTimeout(waiting)
    clearImmediate(immediate)
    immediate = undefined
    kernel.advanceTo(present())
    const next = kernel.nextTimerMillis()
    if (next === undefined || closed) return
    const wait = Math.ceil(Math.max(0, (next - present()) / speed))
    // Whoever was called back on the way may have caught up as well.
    clearTimeout(waiting)
    waiting = setTimeout(catchUp, Math.min(wait, waitMaxMillis))
  }
  kernel.onWake(() => {
    immediate ??= setImmediate(catchUp)
  })
  return {
    kernel,
    isVirtual: false,
    catchUp,
    arrive: () => {
      if (immediate === undefined) catchUp()
    },
    ...closing(() => {
      closed = true
      clearTimeout(waiting)
      clearImmediate(immediate)
      kernel.close()
    })
  }
}

/** Closing, and telling those who wait. */
const closing = (close: () => void): Pick<Timeline, "close" | "onClose"> => {
  const callbacks = new Set<() => void>()
  return {
    onClose: (callback) => {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    close: () => {
      close()
      for (const callback of callbacks) callback()
      callbacks.clear()
    }
  }
}
