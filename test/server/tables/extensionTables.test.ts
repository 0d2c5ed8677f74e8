import { describe, expect, it } from "vitest"
import { asTable } from "../apiObjects.ts"
import { withTestServer, type Json, type TestServer } from "../testServer.ts"

const metadata = { name: "a" }

/** The cells of the object, without its age. */
const rowOf = async ({ request }: TestServer, path: string, name = "a") => {
  const { json } = await request("GET", path, { headers: asTable })
  const columns: ReadonlyArray<string> = json.columnDefinitions.map((it: Json) => it.name)
  const cells = json.rows.map((row: Json) => row.cells).find((row: Json) => row[0] === name) ?? []
  return Object.fromEntries(
    columns.flatMap((column, index) => (column === "Age" ? [] : [[column, cells[index]]]))
  )
}

describe("the table of a kind of release 1.36 has the columns of printers.go", () => {
  it.each([
    {
      path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      object: {},
      row: { Name: "a", Webhooks: 0 },
      why: "no webhook is no error"
    },
    {
      path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
      object: {
        spec: {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: {
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }
            ]
          },
          validations: [{ expression: "true" }]
        }
      },
      row: { Name: "a", Validations: 1, ParamKind: "v1/ConfigMap" },
      why: "the version and kind of the parameters"
    },
    {
      path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
      object: { spec: { policyName: "p", validationActions: ["Deny"] } },
      row: { Name: "a", PolicyName: "p", ParamRef: "<unset>" },
      why: "a binding without parameters"
    },
    {
      path: "/apis/apiregistration.k8s.io/v1/apiservices",
      name: "v1.example.com",
      object: {
        metadata: { name: "v1.example.com" },
        spec: {
          group: "example.com",
          version: "v1",
          groupPriorityMinimum: 100,
          versionPriority: 15,
          insecureSkipTLSVerify: true,
          service: { namespace: "shop", name: "api" }
        }
      },
      row: { Name: "v1.example.com", Service: "shop/api", Available: "Unknown" },
      why: "no controller has looked at it"
    },
    {
      path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
      object: { spec: { priorityLevelConfiguration: { name: "low" }, matchingPrecedence: 7 } },
      row: {
        Name: "a",
        PriorityLevel: "low",
        MatchingPrecedence: 7,
        DistinguisherMethod: "<none>",
        MissingPL: "?"
      },
      why: "no controller has looked at it"
    },
    {
      path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
      object: {
        spec: {
          type: "Limited",
          limited: {
            nominalConcurrencyShares: 5,
            limitResponse: { type: "Queue", queuing: { queues: 2, handSize: 1, queueLengthLimit: 9 } }
          }
        }
      },
      row: {
        Name: "a",
        Type: "Limited",
        NominalConcurrencyShares: 5,
        Queues: 2,
        HandSize: 1,
        QueueLengthLimit: 9
      },
      why: "a level with queues"
    },
    {
      path: "/apis/networking.k8s.io/v1/servicecidrs",
      object: { spec: { cidrs: ["10.0.0.0/24"] } },
      row: { Name: "a", CIDRs: "10.0.0.0/24" },
      why: "the ranges"
    },
    {
      path: "/apis/node.k8s.io/v1/runtimeclasses",
      object: { handler: "runsc" },
      row: { Name: "a", Handler: "runsc" },
      why: "the handler is no part of a spec"
    },
    {
      path: "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
      object: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } } },
      row: { Name: "a", State: "pending" },
      why: "nothing is allocated"
    },
    {
      path: "/apis/storage.k8s.io/v1/csidrivers",
      object: { spec: {} },
      row: {
        Name: "a",
        AttachRequired: true,
        PodInfoOnMount: false,
        StorageCapacity: false,
        TokenRequests: "<unset>",
        RequiresRepublish: false
      },
      why: "a driver with nothing set"
    },
    {
      path: "/apis/storage.k8s.io/v1/volumeattachments",
      object: { spec: { attacher: "csi", nodeName: "n", source: { persistentVolumeName: "pv" } } },
      row: { Name: "a", Attacher: "csi", PV: "pv", Node: "n", Attached: false },
      why: "a volume that is not attached yet"
    },
    {
      path: "/apis/storage.k8s.io/v1/volumeattributesclasses",
      object: { driverName: "csi", parameters: { iops: "9" } },
      row: { Name: "a", DriverName: "csi" },
      why: "the driver"
    }
  ])("$path: $why", ({ path, object, row, ...rest }) =>
    withTestServer(async (server) => {
      const { code, text } = await server.request("POST", path, { body: { metadata, ...object } })
      expect([code, text]).toEqual([201, text])
      expect(await rowOf(server, path, "name" in rest ? rest.name : "a")).toMatchObject(row)
    })
  )
})

describe("a ComponentStatus", () => {
  const path = "/api/v1/componentstatuses"

  it("tells that each component of the control plane is healthy, with a warning of its age", () =>
    withTestServer(async (server) => {
      const { json, headers } = await server.request("GET", path)
      expect(json).toMatchObject({ kind: "ComponentStatusList", metadata: {} })
      expect(json.items.map(({ metadata: { name } }: Json) => name)).toEqual([
        "controller-manager",
        "etcd-0",
        "scheduler"
      ])
      expect(String(headers["warning"])).toContain("v1 ComponentStatus is deprecated in v1.19+")
      expect(await rowOf(server, path, "scheduler")).toEqual({
        Name: "scheduler",
        Status: "Healthy",
        Message: "ok",
        Error: ""
      })
    }))

  it.each([
    { method: "GET", at: `${path}/etcd-0`, code: 200, why: "a component" },
    { method: "GET", at: `${path}/etcd-1`, code: 500, why: "upstream makes no NotFound of it" },
    { method: "POST", at: path, code: 405, why: "it is computed, not stored" }
  ])("$method $at is answered with $code: $why", ({ method, at, code }) =>
    withTestServer(async ({ request }) => {
      const answer = await request(method, at, method === "POST" ? { body: { metadata } } : {})
      expect(answer.code).toBe(code)
      if (code === 500) expect(answer.json.message).toBe("Component not found: etcd-1")
    })
  )
})
