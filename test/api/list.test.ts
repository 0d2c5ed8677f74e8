import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aConfigMap, configMaps, deployments, namesIn, patchType, told } from "./drafts.ts"
import { outlive } from "./history.ts"
import { inWorld, openWorld } from "./world.ts"
import type { Json, World } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
  for (const name of ["e", "a", "d", "b", "c"]) {
    const body = aConfigMap(name, { key: name }, { labels: { part: name < "c" ? "first" : "second" } })
    await world.request("POST", `/api/v1/namespaces/kube-public/configmaps`, { body })
  }
})
afterAll(() => world.close())

const five = "/api/v1/namespaces/kube-public/configmaps"
const ours = `${five}?labelSelector=part`
const list = (path: string) => world.request("GET", path)

describe("a list", () => {
  it("is of its kind, at the store's version, ordered by namespace and name, its items without kind", async () => {
    const { code, json } = await list(ours)
    expect(code).toBe(200)
    expect(json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" })
    expect(json.items.map(({ metadata }: Json) => metadata.name)).toEqual(["a", "b", "c", "d", "e"])
    expect(Object.keys(json.items[0]).sort()).toEqual(["data", "metadata"])
    const single = await list(`${five}/a`)
    expect(json.items[0]).toEqual({ ...single.json, kind: undefined, apiVersion: undefined })
    expect(Number(json.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Math.max(...json.items.map(({ metadata }: Json) => Number(metadata.resourceVersion)))
    )
  })

  it("of nothing is empty and not null", async () => {
    const { json } = await list(deployments)
    expect(json).toEqual({
      kind: "DeploymentList",
      apiVersion: "apps/v1",
      metadata: { resourceVersion: json.metadata.resourceVersion },
      items: []
    })
  })

  it("across namespaces holds those of all", async () => {
    const { json } = await list("/api/v1/configmaps?labelSelector=part=first")
    expect(json.items.map(({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "kube-public/a",
      "kube-public/b"
    ])
  })

  it("in a namespace that there is not is empty", async () => {
    const { code, json } = await list("/api/v1/namespaces/nowhere/configmaps")
    expect([code, json.items]).toEqual([200, []])
  })
})

describe("a list in pages", () => {
  const pages = async (path: string, limit: number): Promise<ReadonlyArray<Json>> => {
    const all: Array<Json> = []
    let token = ""
    do {
      const { json } = await list(`${path}limit=${limit}${token === "" ? "" : `&continue=${token}`}`)
      all.push(json)
      token = json.metadata.continue ?? ""
    } while (token !== "")
    return all
  }

  it.each([1, 2, 3, 5, 6])("of %i says how many are left, and shows each object once", async (limit) => {
    const { json: whole } = await list(`${five}?fieldSelector=metadata.name!=kube-root-ca.crt`)
    const all = await pages(`${five}?fieldSelector=metadata.name!=kube-root-ca.crt&`, limit)
    expect(all.flatMap(({ items }) => items)).toEqual(whole.items)
    expect(all).toHaveLength(Math.ceil(5 / limit))
  })

  it("counts the rest where no selector might leave more out, and not where one does", async () => {
    const total = (await list(five)).json.items.length
    const first = await list(`${five}?limit=2`)
    expect(first.json.metadata.remainingItemCount).toBe(total - 2)
    const selective = await list(`${ours}&limit=2`)
    expect(selective.json.metadata.remainingItemCount).toBeUndefined()
    expect(selective.json.metadata.continue).toMatch(/./)
  })

  it("shows on every page what there was on the first", () =>
    inWorld(async ({ request }) => {
      for (const name of ["a", "b", "c", "d"]) await request("POST", configMaps, { body: aConfigMap(name) })
      const first = await request("GET", `${configMaps}?limit=2`)
      await request("DELETE", `${configMaps}/c`)
      await request("POST", configMaps, { body: aConfigMap("cc") })
      await request("PATCH", `${configMaps}/d`, { body: { data: { key: "new" } }, headers: patchType.merge })
      const { continue: token, resourceVersion } = first.json.metadata
      const second = await request("GET", `${configMaps}?limit=7&continue=${token}`)
      expect(namesIn(first).concat(namesIn(second))).toEqual(expect.arrayContaining(["a", "b", "c", "d"]))
      expect(namesIn(second)).not.toContain("cc")
      expect(second.json.items.find(({ metadata }: Json) => metadata.name === "d").data).toEqual({
        key: "value"
      })
      expect(second.json.metadata.resourceVersion).toBe(resourceVersion)
    }))

  it("that has expired may go on from what there is now", () =>
    inWorld(async ({ request, cluster }) => {
      for (const name of ["a", "b", "c", "d"]) await request("POST", configMaps, { body: aConfigMap(name) })
      const { json: first } = await request("GET", `${configMaps}?limit=2`)
      await request("POST", configMaps, { body: aConfigMap("z") })
      await outlive(cluster)
      const old = `${configMaps}?limit=7&continue=${first.metadata.continue}`
      const expired = await request("GET", old)
      expect(told(expired)).toEqual({
        code: 410,
        reason: "Expired",
        message: expect.stringMatching(
          /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results\. Continuing with the provided token results in an inconsistent list - /
        )
      })
      const more = await request("GET", `${configMaps}?limit=7&continue=${expired.json.metadata.continue}`)
      expect(namesIn(more)).toContain("z")
      expect(namesIn(more)).not.toContain("a")
      const exact = `${configMaps}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`
      expect(told(await request("GET", exact))).toEqual({
        code: 410,
        reason: "Expired",
        message: "The resourceVersion for the provided list is too old."
      })
    }))
})

describe("the version of a list", () => {
  it("is the newest for none and for 0, and no older than the one that is asked for", async () => {
    const { resourceVersion } = (await list(five)).json.metadata
    for (const query of [
      "",
      "?resourceVersion=0",
      "?resourceVersion=1",
      `?resourceVersion=${resourceVersion}`
    ]) {
      const { code, json } = await list(`${five}${query}`)
      expect([code, json.metadata.resourceVersion]).toEqual([200, resourceVersion])
    }
  })

  it("may be one of old, exactly", () =>
    inWorld(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      const { json: before } = await request("GET", configMaps)
      await request("DELETE", `${configMaps}/a`)
      const version = before.metadata.resourceVersion
      const then = await request("GET", `${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`)
      expect(then.json).toEqual(before)
      const now = await request(
        "GET",
        `${configMaps}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`
      )
      expect(namesIn(now)).not.toContain("a")
    }))

  it("that has not been yet is waited for no longer than it takes to say so", async () => {
    const { resourceVersion } = (await list(five)).json.metadata
    const { code, json, headers } = await list(`${five}?resourceVersion=999999`)
    expect(code).toBe(504)
    expect(headers["retry-after"]).toBe("1")
    expect(json).toMatchObject({
      reason: "Timeout",
      message: `Timeout: Too large resource version: 999999, current: ${resourceVersion}`,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1
      }
    })
  })

  const match = "resourceVersionMatch"
  it.each([
    {
      query: `${match}=NotOlderThan`,
      causes: [`${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`],
      why: "a match of no version"
    },
    {
      query: `${match}=Newer&resourceVersion=1`,
      causes: [`${match}: Unsupported value: "Newer": supported values: "Exact", "NotOlderThan", ""`],
      why: "a match that there is not"
    },
    {
      query: `${match}=Exact&resourceVersion=0`,
      causes: [`${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`],
      why: "exactly any version"
    },
    {
      query: `${match}=Exact&continue=x`,
      causes: [
        `${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`,
        `${match}: Forbidden: ${match} is forbidden when continue is provided`
      ],
      why: "a match for a page that has its version, told with all that is wrong"
    },
    {
      query: "sendInitialEvents=true",
      causes: ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
      why: "first events of what is no watch"
    }
  ])("is refused with $why", async ({ query, causes }) => {
    const reply = await list(`${five}?${query}`)
    const all = causes.length === 1 ? causes[0] : `[${causes.join(", ")}]`
    expect(told(reply)).toEqual({
      code: 422,
      reason: "Invalid",
      message: `ListOptions.meta.k8s.io "" is invalid: ${all}`
    })
    expect(reply.json.details).toMatchObject({ group: "meta.k8s.io", kind: "ListOptions" })
    expect(reply.json.details.causes.map(({ field, message }: Json) => `${field}: ${message}`)).toEqual(
      causes
    )
  })

  it.each([
    {
      query: "resourceVersion=abc",
      message: 'Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      why: "a version that is no number"
    },
    {
      query: "continue=abc",
      message: /^continue key is not valid: /,
      why: "a token that this server has not made"
    },
    {
      query: `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":999999,"start":""}').toString("base64url")}`,
      message: /^continue key is not valid: /,
      why: "a token of a version that has not been yet"
    },
    {
      query: "limit=many",
      message: 'strconv.ParseInt: parsing "many": invalid syntax',
      why: "a limit in words"
    },
    {
      query: "watch=perhaps",
      message: 'strconv.ParseBool: parsing "perhaps": invalid syntax',
      why: "half a watch"
    },
    {
      query: "continue=x&resourceVersion=7",
      message: "specifying resource version is not allowed when using continue",
      why: "a page at another version than its list"
    }
  ])("and $why is a bad request", async ({ query, message }) => {
    const { code, json } = await list(`${five}?${query}`)
    expect([code, json.reason]).toEqual([400, "BadRequest"])
    expect(json.message).toMatch(message)
  })

  it("of a limit below nothing is no limit", async () => {
    expect((await list(`${ours}&limit=-1`)).json.items).toHaveLength(5)
  })
})
