import { KubeConfig, PatchStrategy, setHeaderOptions, Watch } from "@kubernetes/client-node"
import * as Effect from "effect/Effect"
import { openTestServer, token } from "../server/testServer.ts"
import type { Json, TestServer } from "../server/testServer.ts"

/** A served cluster, and what `@kubernetes/client-node` needs to be its client. */
export interface ClientServer extends TestServer {
  readonly config: KubeConfig
  /** Advances time until no actor is moving. */
  readonly settle: () => Promise<void>
  readonly follow: (path: string, query?: Readonly<Record<string, string>>) => Promise<FollowedWatch>
}

interface FollowedWatch {
  readonly next: (count: number) => Promise<ReadonlyArray<{ readonly type: string; readonly object: Json }>>
  /** Reads events until the condition holds for one, and returns its object. */
  readonly until: (holds: (type: string, object: Json) => boolean) => Promise<Json>
  readonly stop: () => void
}

const configFor = (url: string): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: "charthouse", server: url, skipTLSVerify: true },
    { name: "tester", token }
  )
  return config
}

export const withClient = async (check: (server: ClientServer) => Promise<void>): Promise<void> => {
  await using world = await openTestServer()
  const config = configFor(world.url)
  const settle = async (): Promise<void> => {
    await Effect.runPromise(world.cluster.settle())
  }
  const watches: Array<() => void> = []
  const follow = async (path: string, query = {}): Promise<FollowedWatch> => {
    const following = await followWatch(config, path, query)
    watches.push(following.stop)
    return following
  }
  try {
    await check({ ...world, config, settle, follow })
  } finally {
    for (const stop of watches) stop()
  }
}

const followWatch = async (
  config: KubeConfig,
  path: string,
  query: Record<string, string>
): Promise<FollowedWatch> => {
  const events: Array<{ readonly type: string; readonly object: Json }> = []
  let taken = 0
  let ending: unknown
  let isOver = false
  let wake = (): void => {}
  const controller = await new Watch(config).watch(
    path,
    query,
    (type, object) => {
      events.push({ type, object })
      wake()
    },
    (error: unknown) => {
      isOver = true
      ending = error
      wake()
    }
  )
  const take = async () => {
    while (taken >= events.length) {
      if (isOver) throw new Error(`the watch ended after ${events.length} events`, { cause: ending })
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    taken += 1
    return events[taken - 1]
  }
  return {
    next: async (count) => {
      for (let index = 0; index < count; index += 1) await take()
      return events.slice(taken - count, taken)
    },
    until: async (holds) => {
      for (;;) {
        const event = await take()
        if (event !== undefined && holds(event.type, event.object)) return event.object
      }
    },
    stop: () => controller.abort()
  }
}

export const patchContentType = {
  merge: setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  strategic: setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  apply: setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply)
} as const

export const withFields = <T extends object>(object: T, change: Partial<T>): T =>
  Object.assign(object, change)

/** Code and Status of the refusal of a call. */
export const refusalOf = async (call: Promise<unknown>): Promise<Json> => {
  try {
    await call
  } catch (error) {
    const { code, body } = error as { readonly code: number; readonly body: unknown }
    return { code, ...(typeof body === "string" ? JSON.parse(body) : (body as object)) }
  }
  throw new Error("it was not refused")
}
