import { describe, expect, it } from "vitest"
import { startCluster } from "../../src/testing/testing.ts"
import { web } from "../server/traffic/recordedTraffic.ts"

const nextWarning = (): Promise<Error> => new Promise((resolve) => process.once("warning", resolve))

describe("a cluster that is closed during a call that waits", () => {
  it("prints and throws the last mismatch", async () => {
    const world = await startCluster({ clock: "real" })
    const tried = Promise.withResolvers<void>()
    let tries = 0
    const waiting = world.eventually(
      () => {
        tries += 1
        if (tries === 2) tried.resolve()
        expect("blue").toBe("green")
      },
      { every: 1 }
    )
    void waiting.catch(() => {})
    await tried.promise
    const warning = nextWarning()
    await Promise.all([world.stop(), world.cluster.close()])
    const words =
      /expected 'blue' to be 'green'.*\n\ndid not hold within \S+: the test ended before the limit of 10m$/s
    await expect(waiting).rejects.toThrow(words)
    expect((await warning).message).toMatch(words)
  })

  it("still reads why a rollout is unfinished", async () => {
    const world = await startCluster({ clock: "real" })
    const { spec, ...deployment } = web(1)
    await world.cluster.apply({ ...deployment, spec: { ...spec, paused: true } })
    const waiting = world.rolledOut("web")
    void waiting.catch(() => {})
    const warning = nextWarning()
    await world.stop()
    await expect(waiting).rejects.toThrow("Nothing of a new template is rolled out until")
    expect((await warning).message).toContain(
      'a test ended while it waited: the rollout of "web" is unfinished'
    )
  })

  it("leaves no timer behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")
    const before = timers()
    const world = await startCluster({ clock: "real" })
    const waiting = [
      world.eventually(() => false, { every: "1h" }),
      world.consistently(() => true, { every: "1h", for: "2h" }),
      world.settled()
    ].map((it) => it.catch(String))
    await new Promise(setImmediate)
    const warning = nextWarning()
    await world.stop()
    await Promise.all([...waiting, warning])
    expect(before).toEqual(expect.arrayContaining(timers()))
  })
})

it("a signal ends the calls that wait", async () => {
  const controller = new AbortController()
  await using world = await startCluster({ clock: "real", signal: controller.signal })
  const waiting = world.eventually(() => false)
  void waiting.catch(() => {})
  const warning = nextWarning()
  controller.abort()
  await expect(waiting).rejects.toThrow("did not hold within")
  expect((await warning).message).toContain("a test ended while it waited")
  expect(await world.eventually(() => "as before")).toBe("as before")
})
