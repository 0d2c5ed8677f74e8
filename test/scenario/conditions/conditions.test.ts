import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest, serviceManifest } from "../../builders.ts"
import { deploymentManifest, createObject } from "../../cluster/testCluster.ts"
import { makeConditionCheck, conditionFailureText } from "../../../src/scenario/conditions/conditionCheck.ts"
import { parseCondition } from "../../../src/scenario/conditions/parseCondition.ts"
import { withLedger } from "../ledger/withLedger.ts"
import type { StoryWorld } from "../../../src/scenario/stories/story.ts"

describe("an invalid condition is refused with the column:", () => {
  it.each<readonly [text: string, ...problems: ReadonlyArray<string>]>([
    ["", "1 a condition is missing: write something like available >= 80% or deployment/web is complete"],
    ["available", "10 available is compared with one of < <= > >= = !=, not nothing"],
    ["available >=", "13 available is compared with a number, a percentage or another measure, not nothing"],
    ["available => 3", '12 available is compared with a number, a percentage or another measure, not ">"'],
    ["available ! 3", '11 available is compared with one of < <= > >= = !=, not "!"'],
    [
      "  avail >= 3",
      '3 nothing is called "avail": a deployment has desired, existing, pods, ready, available, updated, terminating, unavailable, revision, restarts'
    ],
    [
      "revision >= 50%",
      "13 revision is not a count of a workload's Pods, and cannot be compared with a percentage"
    ],
    [
      "service/web ready >= 100%",
      "22 ready of a service is not a count of a workload's Pods, and cannot be compared with a percentage"
    ],
    [
      "service/web endpoints > 1%",
      "25 endpoints of a service is not a count of a workload's Pods, and cannot be compared with a percentage"
    ],
    ["available >= 3 or ready > 2", '16 "or" is unexpected: conditions are joined by "and"'],
    ["available >= 3 ready > 2", '16 "ready" is unexpected: conditions are joined by "and"'],
    ["is complete now", '13 "now" is unexpected: conditions are joined by "and"'],
    ["available >= -3", '14 available is compared with a number, a percentage or another measure, not "-3"'],
    [
      "deployment/web is done",
      '19 unknown state "done": a deployment can be complete, failed, paused, progressing, available or gone'
    ],
    [
      "deployment/web is",
      '18 a state is missing after "is": a deployment can be complete, failed, paused, progressing, available or gone'
    ],
    [
      "deployment/web",
      "15 a measure or a state of deployment/web is missing: write something like available >= 80% or deployment/web is complete"
    ],
    ["deployment/ available > 1", '1 "deployment/" names no object: write deployment/web'],
    ["deployment/a/b/c available > 1", "12 a deployment is named KIND/NAMESPACE/NAME at the most"],
    ["node/shop/node-1 is ready", "6 a node is named in no namespace: write KIND/NAME"],
    ["pod/x ready > 1", '7 nothing is called "ready": the conditions of a pod are "is ready" and "is gone"'],
    [
      "configmap/x is gone",
      "1 there are no conditions of a configmap, only of a deployment, statefulset, daemonset, job, cronjob, horizontalpodautoscaler, service, pod or node"
    ],
    [
      "statefulset/db is paused",
      '19 unknown state "paused": a statefulset can be complete, progressing or gone'
    ],
    [
      "job/sums is done",
      '13 unknown state "done": a job can be complete, failed, suspended, progressing or gone'
    ],
    [
      "job/sums available = 1",
      "10 a job has no available: write deployment/NAME available; a job has desired, existing, pods, ready, active, succeeded, failed, terminating, restarts"
    ],
    [
      "hpa/web current >= 50%",
      "20 current of a horizontalpodautoscaler is not a count of a workload's Pods, and cannot be compared with a percentage"
    ],
    [
      "svc/web available > 1",
      "9 a service has no available: write deployment/NAME available; a service has endpoints, ready, lost"
    ],
    [
      "lost = 0",
      "1 a deployment has no lost: write service/NAME lost; a deployment has desired, existing, pods, ready, available, updated, terminating, unavailable, revision, restarts"
    ],
    ["svc/web losts = 0", '9 nothing is called "losts": a service has endpoints, ready, lost'],
    [
      "availble > 1 and ready >> 2 and ready > 2",
      '1 nothing is called "availble": a deployment has desired, existing, pods, ready, available, updated, terminating, unavailable, revision, restarts',
      '25 ready is compared with a number, a percentage or another measure, not ">"'
    ],
    [
      "ready > x, available 3 && deployment/web is done, and",
      '9 ready is compared with a number, a percentage or another measure, not "x"',
      '10 "," is unexpected: conditions are joined by "and"',
      '22 available is compared with one of < <= > >= = !=, not "3"',
      '24 "&&" is unexpected: conditions are joined by "and"',
      '45 unknown state "done": a deployment can be complete, failed, paused, progressing, available or gone',
      '49 "," is unexpected: conditions are joined by "and"',
      "54 a condition is missing: write something like available >= 80% or deployment/web is complete"
    ],
    ["ready > 1,5", '9 ready is compared with a number, a percentage or another measure, not "1,5"'],
    [
      "ready > 1 and",
      "14 a condition is missing: write something like available >= 80% or deployment/web is complete"
    ]
  ])("%s", (text, ...problems) => {
    const found = parseCondition(text).problems.map(({ column, message }) => `${column} ${message}`)
    expect(found).toEqual(problems)
  })
})

const service = serviceManifest()

/** A predicate that returns any value. */
const returning =
  (answer: unknown): (() => unknown) =>
  () =>
    answer

/** Why conditions do not hold in a cluster with web (5 Pods and a Service) and shop/api (0 of 4 ready). */
const whyNotInCluster = (conditions: ReadonlyArray<StoryWorld | string | (() => unknown)>) =>
  withLedger(
    { nodes: 3, behaviours: [{ name: "stuck", match: { labels: { app: "api" } }, ready: "24h" }] },
    (cluster, ledger) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        yield* createObject(cluster, deploymentManifest({ replicas: 5 }))
        const api = deploymentManifest({
          name: "api",
          namespace: "shop",
          replicas: 4,
          container: { readinessProbe: { httpGet: { path: "/", port: 80 } } }
        })
        yield* createObject(cluster, api)
        yield* createObject(cluster, service)
        yield* cluster.advance(60_000)
        const world = {
          view: cluster.view,
          ledger,
          nowMillis: cluster.nowMillis(),
          sinceMillis: 0,
          loads: () => []
        }
        return conditions.map((condition) =>
          conditionFailureText(makeConditionCheck(condition as string), world)
        )
      })
  )

describe("a condition that does not hold has a message with both sides:", () => {
  it("of every kind", async () => {
    const rows: ReadonlyArray<readonly [condition: string | (() => unknown), why: string | undefined]> = [
      ["deployment/web available = 5", undefined],
      ["deploy/web available == 5 and deploy/web ready >= 5", undefined],
      ["deployment/web available >= 8", "deployment/web available is 5, not >= 8"],
      ["deployment/web available >= 101%", "deployment/web available is 5 of 5, not >= 101% (5.05)"],
      ["deployment/shop/api available > 0", "deployment/shop/api available is 0, not > 0"],
      ["available >= 3", "deployment/shop/api available is 0, not >= 3"],
      ["unavailable = 0", "deployment/shop/api unavailable is 4, not = 0"],
      ["existing <= desired", undefined],
      ["ready = existing", "deployment/shop/api ready is 0, not = existing (4)"],
      ["revision = 1 and restarts = 0", undefined],
      ["deployment/web revision != 1", "deployment/web revision is 1, not != 1"],
      ["deployment/web is complete and deployment/web is available", undefined],
      [
        "is complete",
        'deployment/shop/api is progressing, not complete: Waiting for deployment "api" rollout to finish: 0 of 4 updated replicas are available...'
      ],
      ["deployment/web is not complete", "deployment/web is complete"],
      ["deployment/api available > 1", "deployment/api does not exist"],
      ["deployment/api is gone", undefined],
      ["deployment/web is gone", "deployment/web is still there, not gone"],
      ["service/web endpoints = 5 and service/web ready = 5", undefined],
      ["service/web endpoints > 5", "service/web endpoints is 5, not > 5"],
      ["node/node-1 is ready", undefined],
      ["node/node-1 is not ready", "node/node-1 is ready"],
      ["deployment/shop/api desired = 4 and deployment/shop/api pods = 4", undefined],
      ["deployment/shop/api is not available", undefined],
      [
        "deployment/web is progressing",
        'deployment/web is complete and available, not progressing: deployment "web" successfully rolled out'
      ],
      [
        "deployment/web is paused and deployment/web ready < 5",
        'deployment/web is complete and available, not paused: deployment "web" successfully rolled out; deployment/web ready is 5, not < 5'
      ],
      ["deployment/web terminating = 0 and deployment/web updated <= 5", undefined],
      ["service/web lost > 0", undefined],
      ["service/old lost = 0", undefined],
      ["service/old ready = 0", "service/old does not exist"],
      ["pod/none is ready", "pod/none does not exist"],
      ["pod/none is not gone", "pod/none does not exist"],
      ["node/node-9 is ready", "node/node-9 does not exist"],
      [() => true, undefined],
      [
        function nobodyIsThere() {
          return false
        },
        "predicate nobodyIsThere does not hold"
      ],
      [
        function tripped(): boolean {
          throw new Error("oh")
        },
        "predicate tripped failed: oh"
      ],
      [
        async function later() {
          throw new Error("never seen")
        },
        "predicate later must answer true or false, and answered a promise"
      ],
      [returning(undefined), "a predicate must answer true or false, and answered undefined"],
      [returning("yes"), 'a predicate must answer true or false, and answered "yes"'],
      [returning(1), "a predicate must answer true or false, and answered 1"],
      [returning(null), "a predicate must answer true or false, and answered null"],
      [returning({}), "a predicate must answer true or false, and answered an object"]
    ]
    const found = await whyNotInCluster(rows.map(([condition]) => condition))
    expect(rows.map(([condition], index) => [condition, found[index]])).toEqual(rows)
  })
})
