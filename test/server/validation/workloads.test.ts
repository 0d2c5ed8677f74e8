import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forbidden, invalid, invalidStatus, required, unsupported } from "./validationCauses.ts"
import { aDeployment, aReplicaSet, deployments, replicaSets } from "../apiObjects.ts"
import { openTestServer } from "../testServer.ts"
import type { InvalidBody } from "./validationCauses.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

const refusesEach = (pathOfAll: string, rows: ReadonlyArray<InvalidBody>): void => {
  it.each(rows)("$why", async ({ path = pathOfAll, body, causes }) => {
    const { code, json } = await server.request("POST", path, { body })
    expect(json).toEqual(invalidStatus(body, causes))
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

describe("a Deployment is refused", () => {
  refusesEach(deployments, [
    {
      body: aDeployment({ spec: { replicas: -1 } }),
      causes: [invalid("spec.replicas", "-1", notNegative)],
      why: "with negative replicas"
    },
    {
      body: aDeployment({ spec: { minReadySeconds: -5 } }),
      causes: [invalid("spec.minReadySeconds", "-5", notNegative)],
      why: "with negative minReadySeconds"
    },
    {
      body: aDeployment({ spec: { revisionHistoryLimit: -2 } }),
      causes: [invalid("spec.revisionHistoryLimit", "-2", notNegative)],
      why: "with a negative revisionHistoryLimit"
    },
    {
      body: aDeployment({ spec: { minReadySeconds: 7, progressDeadlineSeconds: 7 } }),
      causes: [invalid("spec.progressDeadlineSeconds", "7", "must be greater than minReadySeconds")],
      why: "with a progress deadline no longer than minReadySeconds"
    },
    {
      body: aDeployment({ spec: { progressDeadlineSeconds: 0 } }),
      causes: [invalid("spec.progressDeadlineSeconds", "0", "must be greater than minReadySeconds")],
      why: "with a progress deadline of zero"
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
      why: "without a selector"
    },
    {
      body: aDeployment({ spec: { selector: {} } }),
      causes: [invalid("spec.selector", "{}", "empty selector is invalid for deployment")],
      why: "with an empty selector"
    },
    {
      body: aDeployment({ spec: { selector: unreadable } }),
      causes: [
        invalid("spec.selector.matchExpressions[0].operator", '"Is"', "not a valid selector operator"),
        invalid("spec.selector", JSON.stringify(unreadable), "invalid label selector")
      ],
      why: "with an invalid selector"
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
      why: "with a selector that does not match its template"
    },
    {
      body: aDeployment({ spec: { strategy: { type: "Canary" } } }),
      causes: [
        unsupported("spec.strategy", '{"Type":"Canary","RollingUpdate":null}', '"Recreate", "RollingUpdate"')
      ],
      why: "with an unknown strategy"
    },
    {
      body: aDeployment({ spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } } }),
      causes: [
        forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
      ],
      why: "with Recreate and rollingUpdate"
    },
    {
      body: rolling({ maxSurge: 0, maxUnavailable: 0 }),
      causes: [invalid(unavailable, "0", "may not be 0 when `maxSurge` is 0")],
      why: "with maxSurge and maxUnavailable both zero"
    },
    {
      body: rolling({ maxSurge: "0%", maxUnavailable: 0 }),
      causes: [invalid(unavailable, "0", "may not be 0 when `maxSurge` is 0")],
      why: "with maxSurge 0% and maxUnavailable 0"
    },
    {
      body: rolling({ maxUnavailable: "101%" }),
      causes: [invalid(unavailable, '"101%"', "must not be greater than 100%")],
      why: "with maxUnavailable above 100%"
    },
    {
      body: rolling({ maxSurge: "abc" }),
      causes: [invalid(surge, '"abc"', percent)],
      why: "with a word as maxSurge"
    },
    {
      body: rolling({ maxSurge: "10.5%" }),
      causes: [invalid(surge, '"10.5%"', percent)],
      why: "with a broken percentage"
    },
    {
      body: rolling({ maxUnavailable: "-5%" }),
      causes: [invalid(unavailable, '"-5%"', percent)],
      why: "with a negative percentage"
    },
    {
      body: rolling({ maxSurge: -1 }),
      causes: [invalid(surge, "-1", notNegative)],
      why: "with a negative maxSurge"
    },
    {
      body: aDeployment({ pod: { restartPolicy: "Never" } }),
      causes: [unsupported("spec.template.spec.restartPolicy", '"Never"', '"Always"')],
      why: "with another restartPolicy than Always"
    },
    {
      body: aDeployment({ pod: { activeDeadlineSeconds: 60 } }),
      causes: [
        forbidden(
          "spec.template.spec.activeDeadlineSeconds",
          "activeDeadlineSeconds in ReplicaSet is not Supported"
        )
      ],
      why: "with activeDeadlineSeconds in its template"
    },
    {
      body: aDeployment({ pod: { ephemeralContainers: [{ name: "debug", image: "busybox" }] } }),
      causes: [
        forbidden(
          "spec.template.spec.ephemeralContainers",
          "ephemeral containers not allowed in pod template"
        )
      ],
      why: "with ephemeral containers in its template"
    },
    {
      body: aDeployment({ spec: { replicas: -1, minReadySeconds: -1 } }),
      causes: [
        invalid("spec.replicas", "-1", notNegative),
        invalid("spec.minReadySeconds", "-1", notNegative)
      ],
      why: "with two wrong fields, both told"
    }
  ])
})

const missingFields = [
  required("spec.selector"),
  invalid("spec.template.metadata.labels", "null", "`selector` does not match template `labels`"),
  required("spec.template.spec.containers")
]

describe("an object without required fields is refused for those without defaults", () => {
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
        return { path, body, causes: missingFields, why: `${kind} ${JSON.stringify(stated)}` }
      })
    )
  )
})

describe("a ReplicaSet is refused", () => {
  refusesEach(replicaSets, [
    {
      body: aReplicaSet({ spec: { replicas: -3 } }),
      causes: [invalid("spec.replicas", "-3", notNegative)],
      why: "with negative replicas"
    },
    {
      body: aReplicaSet({ spec: { selector: {} } }),
      causes: [invalid("spec.selector", "{}", "empty selector is invalid for deployment")],
      why: "with an empty selector"
    },
    {
      body: aReplicaSet({ pod: { restartPolicy: "OnFailure" } }),
      causes: [unsupported("spec.template.spec.restartPolicy", '"OnFailure"', '"Always"')],
      why: "with another restartPolicy than Always"
    }
  ])
})
