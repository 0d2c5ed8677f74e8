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
  /** Stops the drive and drops every timer. */
  readonly close: () => void
}

/** `virtual`; `real`; or so many times as fast as the machine's clock. */
export type ClockSetting = "virtual" | "real" | { readonly speed: number }

export interface TimelineOptions {
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
  let asked = false
  kernel.onWake(() => {
    if (asked) return
    asked = true
    queueMicrotask(() => {
      asked = false
      kernel.drain()
    })
  })
  return { kernel, isVirtual: true, catchUp: () => kernel.drain(), close: () => kernel.close() }
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
    close: () => {
      closed = true
      clearTimeout(waiting)
      clearImmediate(immediate)
      kernel.close()
    }
  }
}
