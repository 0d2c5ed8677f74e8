import { hostname } from "node:os"
import { randomInt, randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { inClusterContext } from "../../client/inClusterContext.ts"
import { reportBadInput } from "../input/badInput.ts"
import { loadStrategies } from "../input/loadStrategies.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { printLines, surviveOutputLoss } from "../terminal/terminal.ts"
import { readKubeContext } from "../../client/kubeContext.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { serveSteerEndpoints } from "../../steer/steerEndpoints.ts"
import { sleepUnlessAborted } from "../../client/sleepUnlessAborted.ts"
import { startSteering } from "../../steer/steerCluster.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { UnusableKubeconfig } from "../../client/clientErrors.ts"
import { withBuiltInSteering } from "../../../machines/steering/steeringStrategies.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { LeaseDurations } from "../../client/leaderElection.ts"
import type { Shard, SteerClock } from "../../steer/steerOptions.ts"
import type { SteerLog } from "../../steer/steerLog.ts"

interface RunSteerOptions {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly namespaces: ReadonlyArray<string> | undefined
  readonly shard: Shard | undefined
  /** Only logs what steering would write. */
  readonly isShadow: boolean
  readonly listen: { readonly host: string; readonly port: number }
  readonly leaseNamespace: string | undefined
  readonly durations: LeaseDurations
  /** Field managers that apply templates from Git, which steering never sets back. */
  readonly gitManagers: ReadonlyArray<string> | undefined
  readonly strategies: string | undefined
}

/** Source: client-go's leaderelection.go (JitterFactor). */
const jitterFactor = 1.2

/** Runs until a signal; then stops writing and releases the Lease. */
export const runSteer = (options: RunSteerOptions): Effect.Effect<ExitCode> => reportBadInput(steer(options))

const steer = Effect.fnUntraced(function* (options: RunSteerOptions): Effect.fn.Return<ExitCode, BadInput> {
  const { durations, listen, leaseNamespace } = options
  const { leaseMillis, renewDeadlineMillis, retryMillis } = durations
  // Source: client-go's NewLeaderElector.
  if (leaseMillis <= renewDeadlineMillis)
    return refuseCommand("error: --lease-duration must be longer than --renew-deadline")
  if (renewDeadlineMillis <= retryMillis * jitterFactor)
    return refuseCommand("error: --renew-deadline must be longer than 1.2 times --retry-period")
  const { steering: custom } = yield* loadStrategies(options.strategies)
  const shutdown = yield* listenForSignals
  surviveOutputLoss()
  const start = async () => {
    const context =
      (options.kubeconfig === undefined && options.context === undefined
        ? inClusterContext(process.env)
        : undefined) ??
      readKubeContext({ path: options.kubeconfig, context: options.context, env: process.env })
    return startSteering({
      ...options,
      strategies: withBuiltInSteering(custom),
      context,
      clock,
      log,
      identity: `${hostname()}_${randomUUID()}`,
      lease: { namespace: leaseNamespace, durations }
    })
  }
  const steering = yield* Effect.promise(() => start().catch((error: unknown) => toUsageText(error)))
  if (typeof steering === "string") return refuseCommand(`error: ${steering}`)
  const endpoints = yield* Effect.promise(() =>
    serveSteerEndpoints(steering, listen).catch(
      (error: unknown) => `--listen ${listen.host}:${listen.port}: ${systemErrorText(error)}`
    )
  )
  if (typeof endpoints === "string") {
    yield* Effect.promise(steering.stop)
    return refuseCommand(`error: ${endpoints}`)
  }
  log("info", "started", { listen: `${listen.host}:${endpoints.port}`, shadow: options.isShadow })
  yield* shutdown.requested
  yield* Effect.promise(steering.stop)
  yield* Effect.promise(endpoints.close)
  return 0
})

const toUsageText = (error: unknown): string => {
  if (error instanceof UnusableKubeconfig) return error.message
  throw error
}

const log: SteerLog = (level, message, fields) => {
  if (level === "debug") return
  printLines([JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })])
}

const randomMax = 2 ** 32

const clock: SteerClock = {
  speed: 1,
  nowMillis: Date.now,
  elapsedMillis: () => performance.now(),
  sleep: sleepUnlessAborted,
  // Processes that started together must not retry together.
  random: () => randomInt(randomMax) / randomMax
}
