import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { expect, it } from "vitest"
import { projectPath } from "../../projectPath.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { command } from "../harness/testedCommand.ts"

const kills = Number(process.env["CHARTHOUSE_KILLS"] ?? 20)
const seed = Number(process.env["CHARTHOUSE_KILL_SEED"] ?? 1)
const preload = pathToFileURL(projectPath("test/cli/data/killAtFaultPoint.mjs")).href
/** Each with the most times that a round passes it before it ends there. */
const firstFaultPoints = [
  ["before the tables", 1],
  ["after the tables", 1]
] as const
const faultPoints = [
  ["after begin", 60],
  ["after insert", 90],
  ["before commit", 60],
  ["after commit", 60],
  ["after the last version", 60]
] as const
const clients = 4
/** A watch costs a second: it resumes after so many kills. */
const roundsPerWatch = 3
const millisPerRoundMax = 10_000

/** What a client knows of one ConfigMap: undefined for one that is not there. */
interface Ledger {
  answered: string | undefined
  /** What an unanswered write may have made of it. */
  possible: ReadonlyArray<string | undefined>
}

interface Access {
  readonly url: string
  readonly token: string
}

interface WatchedChange {
  readonly type: string
  readonly object: {
    readonly metadata: { readonly name: string; readonly resourceVersion: string }
    readonly data?: { readonly value: string }
  }
}

class ConnectionLost extends Error {}

/** Rejects with `ConnectionLost` for an answer that did not come whole. */
const answerOf = async (url: string, init: RequestInit) => {
  try {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text() }
  } catch (error) {
    throw new ConnectionLost("the server has ended", { cause: error })
  }
}

const start = async (directory: string, killAt: string) => {
  const data = ["--data", join(directory, "data"), "--history", "24h"]
  const args = ["up", "--no-tls", ...data, "--output", "events", "--clock", "100x"]
  const child = spawn(process.execPath, ["--import", preload, command, ...args], {
    env: { ...process.env, CHARTHOUSE_KILL_AT: killAt, KUBECONFIG: join(directory, "kubeconfig") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let printed = ""
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code))
  )
  const access = new Promise<Access>((resolve) => {
    const read = (chunk: Buffer): void => {
      printed += String(chunk)
      const [, token, url] = /Bearer (\S+)" (\S+)\/version/.exec(printed) ?? []
      if (token !== undefined && url !== undefined) resolve({ token, url })
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
  })
  return {
    child,
    ended,
    started: Promise.race([access, ended.then(() => undefined)]),
    printed: () => printed
  }
}

it(
  `loses no answered write in ${kills} kills at fault points, seed ${seed}`,
  async () => {
    const random = xoroshiro128plus(seed)
    const directory = temporaryFolder()
    const ledgers = new Map<string, Ledger>()
    /** What a watcher that resumes after each kill has seen. */
    const watched = new Map<string, string>()
    let [watchedVersion, resumedCount, versionMax, answeredCount, deploymentUid] = [0, 0, 0, 0, ""]

    const round = async (killAt: string, resumesWatch: boolean): Promise<void> => {
      const { child, ended, started, printed } = await start(directory, killAt)
      const access = await started
      const timeout = setTimeout(() => child.kill("SIGKILL"), millisPerRoundMax)
      try {
        if (access === undefined) {
          const how = await ended
          if (how !== "SIGKILL") throw new Error(`it did not start (${how}, ${killAt}): ${printed()}`)
          return
        }
        const { url, token } = access
        const request = async (method: string, path: string, body?: object) => {
          const type = method === "PATCH" ? "application/merge-patch+json" : "application/json"
          const { status, text } = await answerOf(`${url}${path}`, {
            method,
            headers: { authorization: `Bearer ${token}`, "content-type": type },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          return { code: status, body: JSON.parse(text) as Record<string, never> }
        }
        await work(request, access, resumesWatch)
        expect(await ended).toBe("SIGKILL")
      } finally {
        clearTimeout(timeout)
        child.kill("SIGKILL")
        await ended
      }
    }
    type Request = (
      method: string,
      path: string,
      body?: object
    ) => Promise<{ readonly code: number; readonly body: Record<string, never> }>
    const path = "/api/v1/namespaces/default/configmaps"

    const work = async (request: Request, { url, token }: Access, resumesWatch: boolean) => {
      try {
        await verify(request)
        if (resumesWatch) await watchOnce(url, token)
        await rollOut(request)
        const load = Array.from({ length: clients }, (_, client) => writeUntilKilled(request, client))
        for (const result of await Promise.allSettled(load)) {
          if (result.status === "rejected") throw result.reason
        }
        throw new Error("the load ended before the fault point was reached")
      } catch (error) {
        // The kill may come during any request.
        if (!(error instanceof ConnectionLost)) throw error
        return
      }
    }

    const verify = async (request: Request): Promise<void> => {
      const { body } = await request("GET", path)
      const list = body as unknown as {
        metadata: { resourceVersion: string }
        items: Array<WatchedChange["object"]>
      }
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(versionMax)
      const present = new Map(list.items.map(({ metadata, data }) => [metadata.name, data?.value]))
      for (const [name, ledger] of ledgers) {
        expect([ledger.answered, ...ledger.possible]).toContain(present.get(name))
        ledger.answered = present.get(name)
        ledger.possible = []
      }
    }

    /** Resumes where the watcher was; what it has seen in all rounds must be what a list shows. */
    const watchOnce = async (url: string, token: string): Promise<void> => {
      const headers = { authorization: `Bearer ${token}` }
      const list = JSON.parse((await answerOf(`${url}${path}`, { headers })).text) as {
        metadata: { resourceVersion: string }
        items: Array<WatchedChange["object"]>
      }
      const target = Number(list.metadata.resourceVersion)
      const beginAnew = (): void => {
        watchedVersion = target
        watched.clear()
        for (const { metadata, data } of list.items) watched.set(metadata.name, data?.value ?? "")
      }
      if (watchedVersion === 0) return beginAnew()
      const query = `?watch=1&resourceVersion=${watchedVersion}&allowWatchBookmarks=true&timeoutSeconds=1`
      const text = (await answerOf(`${url}${path}${query}`, { headers })).text
      for (const line of text.split("\n").filter((it) => it !== "")) {
        const { type, object } = JSON.parse(line) as WatchedChange
        if (type === "BOOKMARK") continue
        // Several rounds in turn may have ended before their watch: then more has changed than is kept.
        if (type === "ERROR") {
          expect(object).toMatchObject({ code: 410 })
          return beginAnew()
        }
        const version = Number(object.metadata.resourceVersion)
        expect(version).toBeGreaterThan(watchedVersion)
        watchedVersion = version
        if (type === "DELETED") watched.delete(object.metadata.name)
        else watched.set(object.metadata.name, object.data?.value ?? "")
      }
      expect(Object.fromEntries(watched)).toEqual(
        Object.fromEntries(list.items.map(({ metadata, data }) => [metadata.name, data?.value ?? ""]))
      )
      watchedVersion = target
      resumedCount += 1
    }

    const deployments = "/apis/apps/v1/namespaces/default/deployments"
    const rollOut = async (request: Request): Promise<void> => {
      const template = {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: `web:${uniformInt(random, 1, 1000)}` }] }
      }
      if (deploymentUid !== "") {
        const patched = await request("PATCH", `${deployments}/web`, { spec: { template } })
        expect(patched.body).toMatchObject({ metadata: { uid: deploymentUid } })
        return
      }
      const spec = { replicas: 3, selector: { matchLabels: { app: "web" } }, template }
      const { body, code } = await request("POST", deployments, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec
      })
      const created = code === 409 ? (await request("GET", `${deployments}/web`)).body : body
      deploymentUid = (created["metadata"] as unknown as { uid: string }).uid
    }

    const writeUntilKilled = async (request: Request, client: number): Promise<void> => {
      for (let number = 0; number < writesPerRoundMax; number += 1) {
        const name = `c${client}-${uniformInt(random, 0, 9)}`
        const ledger = ledgers.get(name) ?? { answered: undefined, possible: [] }
        ledgers.set(name, ledger)
        const value = `${versionMax}-${client}-${number}`
        const isDelete = ledger.answered !== undefined && uniformInt(random, 0, 3) === 0
        ledger.possible = [isDelete ? undefined : value]
        const data = { value }
        const { body, code } = await (isDelete
          ? request("DELETE", `${path}/${name}`)
          : ledger.answered === undefined
            ? request("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })
            : request("PATCH", `${path}/${name}`, { data }))
        expect([200, 201]).toContain(code)
        ledger.answered = isDelete ? undefined : value
        ledger.possible = []
        answeredCount += 1
        const version = Number(
          (body["metadata"] as unknown as { resourceVersion?: string }).resourceVersion ?? 0
        )
        versionMax = Math.max(versionMax, version)
      }
    }

    for (let kill = 0; kill < kills; kill += 1) {
      const [point, countMax] =
        firstFaultPoints[kill] ?? faultPoints[kill % faultPoints.length] ?? faultPoints[0]
      await round(`${point}:${uniformInt(random, 1, countMax)}`, kill % roundsPerWatch === 0)
    }

    const { child, ended, started, printed } = await start(directory, "none:0")
    const access = await started
    if (access === undefined) throw new Error(printed())
    const headers = { authorization: `Bearer ${access.token}` }
    const settle = await fetch(`${access.url}/charthouse/v1/clock/pause`, { method: "POST", headers })
    expect(settle.status).toBe(200)
    await fetch(`${access.url}/charthouse/v1/clock/advance?by=10m`, { method: "POST", headers })
    const web = (await (await fetch(`${access.url}${deployments}/web`, { headers })).json()) as {
      metadata: { uid: string; generation: number }
      status: object
    }
    expect(web.metadata.uid).toBe(deploymentUid)
    expect(web.status).toMatchObject({
      observedGeneration: web.metadata.generation,
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3
    })
    await verify(async (method, requested) => {
      const response = await fetch(`${access.url}${requested}`, { method, headers })
      return { code: response.status, body: (await response.json()) as Record<string, never> }
    })
    await watchOnce(access.url, access.token)
    child.kill("SIGKILL")
    await ended
    expect(answeredCount).toBeGreaterThan(kills)
    expect(resumedCount).toBeGreaterThan(0)
    process.stdout.write(
      `kill loop: seed ${seed}, ${kills} kills, ${answeredCount} answered writes, lost 0, ${resumedCount} watches resumed\n`
    )
    rmSync(directory, { recursive: true })
  },
  60_000 + kills * (millisPerRoundMax + 5_000)
)

/** More than any round reaches before it is killed. */
const writesPerRoundMax = 500
