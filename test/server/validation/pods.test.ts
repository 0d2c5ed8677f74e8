import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { duplicate, forbidden, invalid, invalidStatus, required, unsupported } from "./validationCauses.ts"
import { aDeployment, deployments } from "../apiObjects.ts"
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
      why: "with a container without a name"
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
      why: "with a container without an image"
    },
    {
      body: withPort({}),
      causes: [required(`${port}.containerPort`)],
      why: "with a port without a number"
    },
    {
      body: withPort({ containerPort: 70_000 }),
      causes: [invalid(`${port}.containerPort`, "70000", "must be between 1 and 65535, inclusive")],
      why: "with a port above 65535"
    },
    {
      body: withPort({ containerPort: 80, name: "sixteen-letters-" }),
      causes: [
        invalid(`${port}.name`, '"sixteen-letters-"', "must be no more than 15 characters"),
        invalid(`${port}.name`, '"sixteen-letters-"', "must not begin or end with a hyphen")
      ],
      why: "with a port name that breaks two rules"
    },
    {
      body: withPort({ containerPort: 80, protocol: "X" }),
      causes: [unsupported(`${port}.protocol`, '"X"', '"SCTP", "TCP", "UDP"')],
      why: "with an unknown protocol"
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
      why: "with an unknown imagePullPolicy"
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
      why: "with a variable that has value and valueFrom"
    },
    {
      body: aDeployment({ pod: container({ volumeMounts: [{ name: "v", mountPath: "/x" }] }) }),
      causes: [[`${inTemplate}.containers[0].volumeMounts[0].name`, "FieldValueNotFound", 'Not found: "v"']],
      why: "with a mount of a missing volume"
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
      why: "with two mounts at one path"
    },
    {
      body: aDeployment({ pod: container({ readinessProbe: { periodSeconds: 5 } }) }),
      causes: [required(`${inTemplate}.containers[0].readinessProbe`, "must specify a handler type")],
      why: "with a probe without a handler"
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
      why: "with a probe that has two handlers"
    },
    {
      body: aDeployment({
        pod: container({ livenessProbe: { httpGet: { port: 80 }, successThreshold: 2 } })
      }),
      causes: [invalid(`${inTemplate}.containers[0].livenessProbe.successThreshold`, "2", "must be 1")],
      why: "with a liveness probe whose successThreshold is 2"
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
      why: "with a request above its limit"
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
      why: "with two containers at one host port"
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
      why: "with an equals sign in a variable's name"
    },
    {
      body: aDeployment({ pod: { volumes: [{ name: "V", emptyDir: {} }] } }),
      causes: [invalid(`${inTemplate}.volumes[0].name`, '"V"', label)],
      why: "with capitals in a volume's name"
    }
  ])
})
