import { KubeConfig, PatchStrategy, setHeaderOptions, Watch } from "@kubernetes/client-node"
import * as Effect from "effect/Effect"
import { openWorld, token } from "../api/world.ts"
import type { Json, World } from "../api/world.ts"

/** A cluster that is served, and what `@kubernetes/client-node` needs to be its client. */
export interface ClientWorld extends World {
  readonly config: KubeConfig
  /** Lets time pass until nothing moves by itself any more. */
  readonly settle: () => Promise<void>
  readonly follow: (path: string, query?: Readonly<Record<string, string>>) => Promise<Following>
}

/** The events of a watch as they come. */
interface Following {
  readonly next: (count: number) => Promise<ReadonlyArray<{ readonly type: string; readonly object: Json }>>
  /** Reads until something holds of an event, which it returns. */
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

/** What every story of a client begins with: a fresh cluster that is gone when it is told. */
export const asClient = async (story: (world: ClientWorld) => Promise<void>): Promise<void> => {
  await using world = await openWorld()
  const config = configFor(world.url)
  const settle = async (): Promise<void> => {
    await Effect.runPromise(world.cluster.settle())
  }
  const watches: Array<() => void> = []
  const follow = async (path: string, query = {}): Promise<Following> => {
    const following = await followed(config, path, query)
    watches.push(following.stop)
    return following
  }
  try {
    await story({ ...world, config, settle, follow })
  } finally {
    for (const stop of watches) stop()
  }
}

const followed = async (
  config: KubeConfig,
  path: string,
  query: Record<string, string>
): Promise<Following> => {
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

/** As a patch of another type than the client's own default, which is JSON patch. */
export const as = {
  merge: setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  strategic: setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  apply: setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply)
} as const

/** An object of the client's own with other values in some fields. */
export const changed = <T extends object>(object: T, change: Partial<T>): T => Object.assign(object, change)

/** What a call was refused with: its code, and its Status. */
export const refusalOf = async (call: Promise<unknown>): Promise<Json> => {
  try {
    await call
  } catch (error) {
    const { code, body } = error as { readonly code: number; readonly body: unknown }
    return { code, ...(typeof body === "string" ? JSON.parse(body) : (body as object)) }
  }
  throw new Error("it was not refused")
}
