import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { createObject, withCluster } from "../cluster/testCluster.ts"
import { identityOf, recordEvent } from "../../src/kubernetes/apps/sharedCommands.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { makeBareSteering } from "./bareSteering.ts"
import { annotate, hookJob, openSteeredShop, steeringEvents, webDeployment } from "./steeredShop.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { HookJobDraft } from "../../src/kubernetes/steering/steeringCommands.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

/** All Events of steering, and how often each was written. */
const eventCounts = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const { items } = await cluster.list("events")
  const texts = await steeringEvents(cluster)
  const counts = items
    .filter(({ source }) => source?.component === "charthouse-steer")
    .map(({ count = 1 }) => count)
  return texts.map((text, index) => `${counts[index] ?? 0}x ${/^\w+ \w+/u.exec(text)?.[0] ?? text}`)
}

const careful = { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
const strategy = "canary: { steps: [{ approve: 1 }, { hold: 20s }] }"

const refuseStatus = { fault: "writesRefused", of: "steering", code: 409, times: 4 } as const

const cases: ReadonlyArray<{
  readonly name: string
  readonly act: (cluster: OpenCluster) => Promise<unknown>
  readonly events: ReadonlyArray<string>
}> = [
  {
    name: "a strategy becomes invalid, and the condition that says so is refused",
    act: async (cluster) => {
      await cluster.fault({ ...refuseStatus, resource: "deployments" })
      await annotate(cluster, { strategy: "canary: {}" })
    },
    events: ["1x Warning InvalidStrategy"]
  },
  {
    name: "a strategy is removed, and the removal of its condition is refused",
    act: async (cluster) => {
      await cluster.fault({ ...refuseStatus, resource: "deployments" })
      await annotate(cluster, { strategy: null })
    },
    events: ["1x Warning NotSteered"]
  }
]

describe("an Event of steering is written once, though", () => {
  it.each(cases)("$name", async ({ act, events }) => {
    await using cluster = await openSteeredShop(strategy, { isGated: true, spec: careful })
    await act(cluster)
    await cluster.advance("2m")
    expect([...(await eventCounts(cluster))].toSorted()).toEqual(events)
  })

  it("two controllers, or one whose watch is late, start and delete the same Job of a hook", () =>
    withCluster({ seed: 7 }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, webDeployment(undefined))
        const deployment = cluster.view.get(resources.deployments, "default/web")
        if (deployment === undefined) throw new Error("the Deployment is missing")
        const written: Array<string> = []
        const steering = makeBareSteering(cluster, {
          recordEvent: ({ event }) => Effect.sync(() => written.push(event.reason))
        })
        const performTwice = (commands: ReadonlyArray<Command>) =>
          Effect.forEach([1, 2], () => cluster.run(Effect.exit(steering.perform(deployment, commands))))
        const job = hookJob("smoke:1", "web-smoke") as HookJobDraft
        yield* performTwice([{ type: "run", job }, recordEvent("Normal", "HookStarted", "started")])
        const started = cluster.view.get(resources.jobs, "default/web-smoke")
        if (started === undefined) throw new Error("the Job is missing")
        const children = [identityOf(started)]
        yield* performTwice([
          { type: "deleteJobs", children },
          recordEvent("Normal", "HookStopped", "deleted")
        ])
        expect(cluster.view.get(resources.jobs, "default/web-smoke")).toBeUndefined()
        expect(written).toEqual(["HookStarted", "HookStopped"])
      })
    ))
})
