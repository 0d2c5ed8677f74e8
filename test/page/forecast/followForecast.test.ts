import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { followForecast } from "../../../src/page/forecast/followForecast.ts"
import { makeSignal } from "../../../src/page/signal.ts"
import { RequestRefused, ServerLost } from "../../../src/page/source/connection.ts"
import type { ConnectionState, ServerConnection } from "../../../src/page/source/connection.ts"
import type { FollowedForecast } from "../../../src/page/forecast/followForecast.ts"

const web = { kind: "Deployment", namespace: "shop", name: "web" } as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A page that follows a forecast; each answer is an object or an error. */
const follow = (answers: ReadonlyArray<object>, answerMillis = 0) => {
  const paths: Array<string> = []
  const status = makeSignal<ConnectionState>({ state: "live" })
  const connection: ServerConnection = {
    status,
    request: async (_, path) => {
      const answer = answers[paths.length] ?? {}
      paths.push(path)
      await new Promise((resolve) => setTimeout(resolve, answerMillis))
      if (answer instanceof Error) throw answer
      return answer
    },
    lines: () => {
      throw new Error("nothing is streamed")
    }
  }
  const changeCount = makeSignal(1)
  const generation = makeSignal(1)
  const result = makeSignal<FollowedForecast | undefined>(undefined)
  const selection = new AbortController()
  const done = followForecast(connection, web, selection.signal, {
    changeCount,
    generation: generation.get,
    result
  })
  return { paths, status, changeCount, generation, result, selection, done }
}

describe("the forecast of the selected workload", () => {
  it("is requested by kind, namespace and name, within a bound of work", async () => {
    const { paths, result } = follow([{ nowMillis: 7 }])
    await vi.advanceTimersByTimeAsync(1)
    expect(paths).toEqual(["/charthouse/v1/forecast?workload=deployment%2Fweb&namespace=shop&changes=20000"])
    expect(result.get()).toEqual({ address: web, forecast: { nowMillis: 7 }, problem: undefined })
  })

  it("is requested again only after a change of the cluster", async () => {
    const { paths, changeCount } = follow([])
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(paths).toHaveLength(1)
    changeCount.set(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(paths).toHaveLength(2)
  })

  it("is dropped when the spec changes, and the next one is requested at once", async () => {
    const { paths, changeCount, generation, result } = follow([{ nowMillis: 1 }, { nowMillis: 2 }], 10_000)
    expect(result.get()).toEqual({ address: web, forecast: undefined, problem: undefined })
    await vi.advanceTimersByTimeAsync(11_000)
    expect(result.get()).toMatchObject({ forecast: { nowMillis: 1 } })
    generation.set(2)
    changeCount.set(2)
    await vi.advanceTimersByTimeAsync(1000)
    expect(result.get()).toEqual({ address: web, forecast: undefined, problem: undefined })
    expect(paths).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(result.get()).toMatchObject({ forecast: { nowMillis: 2 } })
  })

  it("leaves the server idle for four times as long as an answer takes, however much changes", async () => {
    const { paths, changeCount } = follow([], 2000)
    for (let second = 1; second < 100; second += 1) {
      changeCount.set(changeCount.get() + 1)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(paths).toHaveLength(10)
  })

  it("keeps the last answer when the cluster cannot be copied at the moment, and tries again", async () => {
    const conflict = new RequestRefused(409, "a write is delayed")
    const { paths, result, changeCount } = follow([{ nowMillis: 1 }, conflict, { nowMillis: 3 }])
    await vi.advanceTimersByTimeAsync(1000)
    changeCount.set(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(result.get()).toEqual({ address: web, forecast: { nowMillis: 1 }, problem: "a write is delayed" })
    await vi.advanceTimersByTimeAsync(1000)
    expect(paths).toHaveLength(3)
    expect(result.get()).toEqual({ address: web, forecast: { nowMillis: 3 }, problem: undefined })
  })

  it("ends with the workload: a forecast of a deleted one is not shown", async () => {
    const gone = new RequestRefused(404, 'deployments.apps "web" not found')
    const { result, changeCount } = follow([{ nowMillis: 1 }, gone])
    await vi.advanceTimersByTimeAsync(1000)
    changeCount.set(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(result.get()).toMatchObject({ forecast: undefined, problem: 'deployments.apps "web" not found' })
  })

  it("waits while the server is lost", async () => {
    const { paths, status, changeCount } = follow([new ServerLost("gone")])
    status.set({ state: "lost", why: "gone" })
    await vi.advanceTimersByTimeAsync(60_000)
    changeCount.set(2)
    expect(paths).toHaveLength(1)
    status.set({ state: "live" })
    await vi.advanceTimersByTimeAsync(1)
    expect(paths).toHaveLength(2)
  })

  it("stops when another object is selected", async () => {
    const { paths, changeCount, selection, done } = follow([])
    await vi.advanceTimersByTimeAsync(1)
    selection.abort()
    await done
    changeCount.set(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(paths).toHaveLength(1)
  })
})
