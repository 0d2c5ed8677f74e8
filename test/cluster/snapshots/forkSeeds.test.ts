import { describe, expect, it } from "vitest"
import { openCluster, readSnapshot, snapshotText, steady } from "../../../src/index.ts"
import { deploymentManifest } from "../testCluster.ts"
import type { ClusterOptions, OpenCluster, Pod } from "../../../src/index.ts"

/** Each Pod has its own start time and crashes several times. */
const behaviour = {
  ...steady,
  name: "various",
  start: { uniform: ["1s", "1m"] },
  exit: { after: { uniform: ["10s", "3m"] }, times: 3 }
} as const

const startedCluster = async (options: ClusterOptions = {}): Promise<OpenCluster> => {
  const cluster = await openCluster({ behaviour, ...options })
  await cluster.create(deploymentManifest({ replicas: 4 }))
  await cluster.advance("20s")
  return cluster
}

const podsOf = async (cluster: OpenCluster): Promise<ReadonlyArray<Pod>> => (await cluster.list("pods")).items
const namesOf = async (cluster: OpenCluster) => (await podsOf(cluster)).map(({ metadata }) => metadata.name)

/** The container statuses of each Pod. */
const livesOf = async (cluster: OpenCluster) =>
  (await podsOf(cluster)).map(({ metadata, status }) => [metadata.uid, status.containerStatuses])

describe("a fork with a seed of its own", () => {
  it("keeps the existing Pods and their lives", async () => {
    await using original = await startedCluster()
    await using fork = await original.fork({ seed: 77 })
    await original.advance("5m")
    await fork.advance("5m")
    expect(await livesOf(fork)).toEqual(await livesOf(original))
  })

  it("draws new Pods from its own seed, the same for the same seed", async () => {
    await using original = await startedCluster()
    const grownFork = async (seed: number) => {
      await using fork = await original.fork({ seed })
      await fork.apply(deploymentManifest({ replicas: 9 }))
      await fork.advance("5m")
      return { names: await namesOf(fork), lives: await livesOf(fork) }
    }
    const [one, other, again] = [await grownFork(1), await grownFork(77), await grownFork(77)]
    expect(again).toEqual(other)
    expect(other.names).not.toEqual(one.names)
    expect(await namesOf(original)).toHaveLength(4)
  })

  it("gives no uid twice when an earlier seed is used again", async () => {
    await using original = await startedCluster({ seed: 5 })
    await using fork = await original.fork({ seed: 77 })
    await using back = await fork.fork({ seed: 5 })
    await back.apply(deploymentManifest({ replicas: 60 }))
    await back.advance("1s")
    const uids = (await podsOf(back)).map(({ metadata }) => metadata.uid)
    expect(uids).toHaveLength(60)
    expect(new Set(uids).size).toBe(60)
  })

  it("keeps in its snapshot which Pod's life came from which seed", async () => {
    await using original = await startedCluster()
    await using fork = await original.fork({ seed: 77 })
    await fork.apply(deploymentManifest({ replicas: 6 }))
    await fork.advance("2s")
    await using read = await openCluster({ from: readSnapshot(snapshotText(await fork.snapshot())) })
    await fork.advance("10m")
    await read.advance("10m")
    expect(await livesOf(read)).toEqual(await livesOf(fork))
    expect(snapshotText(await read.snapshot())).toBe(snapshotText(await fork.snapshot()))
  })
})

describe("one seed", () => {
  it("gives the same snapshot twice, and another seed another snapshot", async () => {
    const textOf = async (seed: number): Promise<string> => {
      await using cluster = await startedCluster({ seed })
      return snapshotText(await cluster.snapshot())
    }
    expect(await textOf(3)).toBe(await textOf(3))
    expect(await textOf(4)).not.toBe(await textOf(3))
  })

  it("gives the same snapshot after the same HTTP requests, watched or not", async () => {
    const snapshotOverHttp = async (isWatched: boolean): Promise<string> => {
      await using cluster = await openCluster({ behaviour })
      const { url, token } = await cluster.serve({ tls: false })
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const watching = new AbortController()
      if (isWatched) {
        const path = "/api/v1/pods?watch=1&allowWatchBookmarks=true"
        const { body } = await fetch(url + path, { headers, signal: watching.signal })
        void body?.getReader().read()
      }
      const body = JSON.stringify(deploymentManifest({ replicas: 3 }))
      await fetch(`${url}/apis/apps/v1/namespaces/default/deployments`, { method: "POST", headers, body })
      await fetch(`${url}/charthouse/v1/clock/advance?by=90s`, { method: "POST", headers })
      const answer = await fetch(`${url}/charthouse/v1/snapshot`, { headers })
      const text = await answer.text()
      watching.abort()
      expect(answer.status).toBe(200)
      expect(snapshotText(await cluster.snapshot())).toBe(text)
      return text
    }
    expect(await snapshotOverHttp(true)).toBe(await snapshotOverHttp(false))
  })
})
