import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forbidden, invalid, refusalOf, required, unsupported } from "./causes.ts"
import { aDeployment, aReplicaSet, deployments, replicaSets } from "./drafts.ts"
import { openWorld } from "./world.ts"
import type { Row } from "./causes.ts"
import type { Json, World } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const refusesEach = (pathOfAll: string, rows: ReadonlyArray<Row>): void => {
  it.each(rows)("$why", async ({ path = pathOfAll, body, causes }) => {
    const { code, json } = await world.request("POST", path, { body })
    expect(json).toEqual(refusalOf(body, causes))
    expect(code).toBe(422)
  })
}

const unreadable = { matchExpressions: [{ key: "app", operator: "Is", values: ["web"] }] }
const notNegative = "must be greater than or equal to 0"
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
const rolling = (rollingUpdate: object): Json =>
  aDeployment({ spec: { strategy: { type: "RollingUpdate", rollingUpdate } } })
const surge = "spec.strategy.rollingUpdate.maxSurge"
const unavailable = "spec.strategy.rollingUpdate.maxUnavailable"

describe("a Deployment is refused whose", () => {
  refusesEach(deployments, [
    {
      body: aDeployment({ spec: { replicas: -1 } }),
      causes: [invalid("spec.replicas", "-1", notNegative)],
      why: "size is negative"
    },
    {
      body: aDeployment({ spec: { minReadySeconds: -5 } }),
      causes: [invalid("spec.minReadySeconds", "-5", notNegative)],
      why: "minReadySeconds are negative"
    },
    {
      body: aDeployment({ spec: { revisionHistoryLimit: -2 } }),
      causes: [invalid("spec.revisionHistoryLimit", "-2", notNegative)],
      why: "history limit is negative"
    },
    {
      body: aDeployment({ spec: { minReadySeconds: 7, progressDeadlineSeconds: 7 } }),
      causes: [invalid("spec.progressDeadlineSeconds", "7", "must be greater than minReadySeconds")],
      why: "deadline is no later than its Pods can be available"
    },
    {
      body: aDeployment({ spec: { progressDeadlineSeconds: 0 } }),
      causes: [invalid("spec.progressDeadlineSeconds", "0", "must be greater than minReadySeconds")],
      why: "deadline is at once"
    },
    {
      body: aDeployment({ spec: { selector: undefined } }),
      causes: [
        required("spec.selector"),
        invalid(
          "spec.template.metadata.labels",
          '{"app":"web"}',
          "`selector` does not match template `labels`"
        )
      ],
      why: "selector is missing"
    },
    {
      body: aDeployment({ spec: { selector: {} } }),
      causes: [invalid("spec.selector", "{}", "empty selector is invalid for deployment")],
      why: "selector is empty"
    },
    {
      body: aDeployment({ spec: { selector: unreadable } }),
      causes: [
        invalid("spec.selector.matchExpressions[0].operator", '"Is"', "not a valid selector operator"),
        invalid("spec.selector", JSON.stringify(unreadable), "invalid label selector")
      ],
      why: "selector cannot be read"
    },
    {
      body: aDeployment({ spec: { selector: { matchLabels: { app: "shop" } } } }),
      causes: [
        invalid(
          "spec.template.metadata.labels",
          '{"app":"web"}',
          "`selector` does not match template `labels`"
        )
      ],
      why: "selector does not select its own Pods"
    },
    {
      body: aDeployment({ spec: { strategy: { type: "Canary" } } }),
      causes: [
        unsupported("spec.strategy", '{"Type":"Canary","RollingUpdate":null}', '"Recreate", "RollingUpdate"')
      ],
      why: "strategy is unknown"
    },
    {
      body: aDeployment({ spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } } }),
      causes: [
        forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
      ],
      why: "strategy recreates and rolls"
    },
    {
      body: rolling({ maxSurge: 0, maxUnavailable: 0 }),
      causes: [invalid(unavailable, "0", "may not be 0 when `maxSurge` is 0")],
      why: "rollout could never take a step"
    },
    {
      body: rolling({ maxSurge: "0%", maxUnavailable: 0 }),
      causes: [invalid(unavailable, "0", "may not be 0 when `maxSurge` is 0")],
      why: "rollout could never take a step, one bound being a percentage"
    },
    {
      body: rolling({ maxUnavailable: "101%" }),
      causes: [invalid(unavailable, '"101%"', "must not be greater than 100%")],
      why: "rollout may take more than all Pods away"
    },
    {
      body: rolling({ maxSurge: "abc" }),
      causes: [invalid(surge, '"abc"', percent)],
      why: "surge is a word"
    },
    {
      body: rolling({ maxSurge: "10.5%" }),
      causes: [invalid(surge, '"10.5%"', percent)],
      why: "surge is a broken percentage"
    },
    {
      body: rolling({ maxUnavailable: "-5%" }),
      causes: [invalid(unavailable, '"-5%"', percent)],
      why: "bound is a negative percentage"
    },
    {
      body: rolling({ maxSurge: -1 }),
      causes: [invalid(surge, "-1", notNegative)],
      why: "surge is negative"
    },
    {
      body: aDeployment({ pod: { restartPolicy: "Never" } }),
      causes: [unsupported("spec.template.spec.restartPolicy", '"Never"', '"Always"')],
      why: "Pods would not be restarted"
    },
    {
      body: aDeployment({ pod: { activeDeadlineSeconds: 60 } }),
      causes: [
        forbidden(
          "spec.template.spec.activeDeadlineSeconds",
          "activeDeadlineSeconds in ReplicaSet is not Supported"
        )
      ],
      why: "Pods would end by themselves"
    },
    {
      body: aDeployment({ pod: { ephemeralContainers: [{ name: "debug", image: "busybox" }] } }),
      causes: [
        forbidden(
          "spec.template.spec.ephemeralContainers",
          "ephemeral containers not allowed in pod template"
        )
      ],
      why: "template has a container for debugging"
    },
    {
      body: aDeployment({ spec: { replicas: -1, minReadySeconds: -1 } }),
      causes: [
        invalid("spec.replicas", "-1", notNegative),
        invalid("spec.minReadySeconds", "-1", notNegative)
      ],
      why: "two fields are wrong, both of which are told"
    }
  ])
})

const lacks = [
  required("spec.selector"),
  invalid("spec.template.metadata.labels", "null", "`selector` does not match template `labels`"),
  required("spec.template.spec.containers")
]

describe("of what nobody has said, only what cannot be filled in is told", () => {
  refusesEach(
    deployments,
    [deployments, replicaSets].flatMap((path) =>
      [
        { metadata: { name: "x" } },
        { metadata: { name: "x" }, spec: null },
        { metadata: { name: "x" }, spec: {} },
        { metadata: { name: "x" }, spec: { template: {} } },
        { metadata: { name: "x" }, spec: { template: { spec: {} } } }
      ].map((stated) => {
        const kind = path === deployments ? "Deployment" : "ReplicaSet"
        const body = { apiVersion: "apps/v1", kind, ...stated }
        return { path, body, causes: lacks, why: `${kind} ${JSON.stringify(stated)}` }
      })
    )
  )
})

describe("a ReplicaSet is refused whose", () => {
  refusesEach(replicaSets, [
    {
      body: aReplicaSet({ spec: { replicas: -3 } }),
      causes: [invalid("spec.replicas", "-3", notNegative)],
      why: "size is negative"
    },
    {
      body: aReplicaSet({ spec: { selector: {} } }),
      causes: [invalid("spec.selector", "{}", "empty selector is invalid for deployment")],
      why: "selector is empty, in the words of a Deployment"
    },
    {
      body: aReplicaSet({ pod: { restartPolicy: "OnFailure" } }),
      causes: [unsupported("spec.template.spec.restartPolicy", '"OnFailure"', '"Always"')],
      why: "Pods would not always be restarted"
    }
  ])
})
