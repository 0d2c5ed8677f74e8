import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { duplicate, forbidden, invalid, refusalOf, required, unsupported } from "./causes.ts"
import { aDeployment, deployments } from "./drafts.ts"
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

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const container = (more: object): object => ({
  containers: [{ name: "app", image: "registry.example/app:v3", ...more }]
})
const inTemplate = "spec.template.spec"
const withPort = (port: object): Json => aDeployment({ pod: container({ ports: [port] }) })
const port = `${inTemplate}.containers[0].ports[0]`

describe("a Pod template is refused", () => {
  refusesEach(deployments, [
    {
      body: aDeployment({ pod: { containers: [] } }),
      causes: [required(`${inTemplate}.containers`)],
      why: "without containers"
    },
    {
      body: aDeployment({ pod: { containers: [{ image: "nginx" }] } }),
      causes: [required(`${inTemplate}.containers[0].name`)],
      why: "with a container that has no name"
    },
    {
      body: aDeployment({
        pod: {
          containers: [
            { name: "c", image: "a" },
            { name: "c", image: "b" }
          ]
        }
      }),
      causes: [duplicate(`${inTemplate}.containers[1].name`, '"c"')],
      why: "with two containers of one name"
    },
    {
      body: aDeployment({ pod: container({ image: "" }) }),
      causes: [required(`${inTemplate}.containers[0].image`)],
      why: "with a container that has no image"
    },
    {
      body: withPort({}),
      causes: [required(`${port}.containerPort`)],
      why: "with a port that has no number"
    },
    {
      body: withPort({ containerPort: 70_000 }),
      causes: [invalid(`${port}.containerPort`, "70000", "must be between 1 and 65535, inclusive")],
      why: "with a port that there is not"
    },
    {
      body: withPort({ containerPort: 80, name: "sixteen-letters-" }),
      causes: [
        invalid(`${port}.name`, '"sixteen-letters-"', "must be no more than 15 characters"),
        invalid(`${port}.name`, '"sixteen-letters-"', "must not begin or end with a hyphen")
      ],
      why: "with a port whose name is wrong in two ways"
    },
    {
      body: withPort({ containerPort: 80, protocol: "X" }),
      causes: [unsupported(`${port}.protocol`, '"X"', '"SCTP", "TCP", "UDP"')],
      why: "with a protocol nobody speaks"
    },
    {
      body: aDeployment({
        pod: container({
          ports: [
            { containerPort: 80, name: "http" },
            { containerPort: 81, name: "http" }
          ]
        })
      }),
      causes: [duplicate(`${inTemplate}.containers[0].ports[1].name`, '"http"')],
      why: "with two ports of one name"
    },
    {
      body: aDeployment({ pod: container({ imagePullPolicy: "Sometimes" }) }),
      causes: [
        unsupported(
          `${inTemplate}.containers[0].imagePullPolicy`,
          '"Sometimes"',
          '"Always", "IfNotPresent", "Never"'
        )
      ],
      why: "that pulls sometimes"
    },
    {
      body: aDeployment({
        pod: container({
          env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]
        })
      }),
      causes: [
        invalid(
          `${inTemplate}.containers[0].env[0].valueFrom`,
          '""',
          "may not be specified when `value` is not empty"
        )
      ],
      why: "with a variable that has two values"
    },
    {
      body: aDeployment({ pod: container({ volumeMounts: [{ name: "v", mountPath: "/x" }] }) }),
      causes: [[`${inTemplate}.containers[0].volumeMounts[0].name`, "FieldValueNotFound", 'Not found: "v"']],
      why: "that mounts a volume it does not have"
    },
    {
      body: aDeployment({
        pod: {
          volumes: [{ name: "v", emptyDir: {} }],
          ...container({
            volumeMounts: [
              { name: "v", mountPath: "/x" },
              { name: "v", mountPath: "/x" }
            ]
          })
        }
      }),
      causes: [invalid(`${inTemplate}.containers[0].volumeMounts[1].mountPath`, '"/x"', "must be unique")],
      why: "that mounts two volumes at one path"
    },
    {
      body: aDeployment({ pod: container({ readinessProbe: { periodSeconds: 5 } }) }),
      causes: [required(`${inTemplate}.containers[0].readinessProbe`, "must specify a handler type")],
      why: "with a probe that asks nothing"
    },
    {
      body: aDeployment({
        pod: container({ readinessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } })
      }),
      causes: [
        forbidden(
          `${inTemplate}.containers[0].readinessProbe.tcpSocket`,
          "may not specify more than 1 handler type"
        )
      ],
      why: "with a probe that asks twice"
    },
    {
      body: aDeployment({
        pod: container({ livenessProbe: { httpGet: { port: 80 }, successThreshold: 2 } })
      }),
      causes: [invalid(`${inTemplate}.containers[0].livenessProbe.successThreshold`, "2", "must be 1")],
      why: "with a liveness that has to be proved twice"
    },
    {
      body: aDeployment({ pod: container({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }) }),
      causes: [
        invalid(
          `${inTemplate}.containers[0].resources.requests`,
          '"2"',
          "must be less than or equal to cpu limit of 1"
        )
      ],
      why: "that asks for more than it may use"
    },
    {
      body: aDeployment({
        pod: {
          hostNetwork: false,
          containers: [
            { name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 8080 }] },
            { name: "b", image: "b", ports: [{ containerPort: 81, hostPort: 8080 }] }
          ]
        }
      }),
      causes: [duplicate(`${inTemplate}.containers[1].ports[0].hostPort`, '"TCP//8080"')],
      why: "with two containers at one port of the node"
    },
    {
      body: aDeployment({ pod: container({ env: [{ name: "A=B", value: "x" }] }) }),
      causes: [
        invalid(
          `${inTemplate}.containers[0].env[0].name`,
          '"A=B"',
          "a valid environment variable name must consist only of printable ASCII characters other than '='"
        )
      ],
      why: "with a variable whose name ends where its value begins"
    },
    {
      body: aDeployment({ pod: { volumes: [{ name: "V", emptyDir: {} }] } }),
      causes: [invalid(`${inTemplate}.volumes[0].name`, '"V"', label)],
      why: "with a volume of capitals"
    }
  ])
})
