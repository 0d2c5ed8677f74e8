import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { noMemory } from "./memory.ts"
import { Pace } from "./pace.ts"
import type { Memory } from "./memory.ts"

/**
 * Controllers that can be stopped and started one by one, each in a scope of its own: its fibers, actors and timers end
 * with the scope. One that starts looks at everything, as after a restart of its process.
 */
export interface Supervisor<Name extends string> {
  /** Takes a controller on and starts it. */
  readonly supervise: (name: Name, life: Effect.Effect<unknown, never, Scope.Scope>) => Effect.Effect<void>
  /** Stops a controller until it is started; who was stopped twice is started twice. */
  readonly stop: (name: Name) => Effect.Effect<void>
  readonly start: (name: Name) => Effect.Effect<void>
  /** Ends a controller in whatever it does and starts it again. */
  readonly restart: (name: Name) => Effect.Effect<void>
  /** Makes a controller take so much longer over each object. Returns how to take that back. */
  readonly slow: (name: Name, millis: number) => () => void
  readonly isRunning: (name: Name) => boolean
  /** How many objects slow controllers are busy with. */
  readonly underway: () => number
}

interface Post {
  readonly life: Effect.Effect<unknown, never, Scope.Scope>
  readonly pace: Pace
  readonly delays: Array<number>
  scope: Scope.Closeable | undefined
  stops: number
}

/** What it supervises ends with the scope that it is made in. */
export const makeSupervisor = Effect.fnUntraced(function* <Name extends string>(
  memory: Memory = noMemory
): Effect.fn.Return<Supervisor<Name>, never, Scope.Scope> {
  const parent = yield* Effect.scope
  const posts = new Map<Name, Post>()
  /** Who was stopped in the world that this one goes on from, and how often. */
  const stopped = new Map<Name, number>()
  memory.carry<ReadonlyArray<readonly [Name, number]>>("stopped", {
    save: () => [...posts].flatMap(([name, { stops }]) => (stops > 0 ? [[name, stops] as const] : [])),
    restore: (state) => {
      for (const [name, stops] of state) stopped.set(name, stops)
    }
  })

  const postOf = (name: Name): Post => {
    const post = posts.get(name)
    if (post === undefined) throw new Error(`nobody is called ${name}`)
    return post
  }
  const begin = Effect.fnUntraced(function* (post: Post) {
    if (post.scope !== undefined || post.stops > 0) return
    const scope = yield* Scope.fork(parent)
    post.scope = scope
    yield* post.life.pipe(Effect.provideService(Scope.Scope, scope), Effect.provideService(Pace, post.pace))
  })
  const end = Effect.fnUntraced(function* (post: Post) {
    const { scope } = post
    if (scope === undefined) return
    post.scope = undefined
    yield* Scope.close(scope, Exit.void)
  })

  return {
    supervise: (name, life) => {
      const pace: Pace = { millis: 0, underway: 0 }
      const post: Post = { life, pace, delays: [], scope: undefined, stops: stopped.get(name) ?? 0 }
      posts.set(name, post)
      return begin(post)
    },
    stop: Effect.fnUntraced(function* (name: Name) {
      const post = postOf(name)
      post.stops += 1
      yield* end(post)
    }),
    start: (name) =>
      Effect.suspend(() => {
        const post = postOf(name)
        post.stops -= 1
        return begin(post)
      }),
    restart: Effect.fnUntraced(function* (name: Name) {
      const post = postOf(name)
      yield* end(post)
      yield* begin(post)
    }),
    slow: (name, millis) => {
      const { delays, pace } = postOf(name)
      delays.push(millis)
      pace.millis = Math.max(...delays)
      return () => {
        delays.splice(delays.indexOf(millis), 1)
        pace.millis = Math.max(0, ...delays)
      }
    },
    isRunning: (name) => postOf(name).scope !== undefined,
    underway: () => [...posts.values()].reduce((sum, { pace }) => sum + pace.underway, 0)
  }
})
