import { describe, expect, it } from "vitest"
import { parseAmounts, podResourceAmounts, withPodOverhead } from "../../src/kubernetes/pods/podResources.ts"
import { formatQuantity } from "../../src/kubernetes/meta/amounts/quantity.ts"
import type { AmountsByResource, PodSpecWithResources } from "../../src/kubernetes/pods/podResources.ts"

type Texts = Readonly<Record<string, string>>

const asking = (requests: Texts, more: object = {}) => ({ name: "c", resources: { requests }, ...more })
const sidecar = { restartPolicy: "Always" }

const textsOf = (amounts: AmountsByResource): Texts =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("what a Pod asks for", () => {
  it.each<{ why: string; spec: PodSpecWithResources; asks: Texts }>([
    {
      why: "is nothing where nobody says anything",
      spec: { containers: [{ name: "c" }], initContainers: [{ name: "i" }] },
      asks: {}
    },
    {
      why: "leaves out what is no amount",
      spec: { containers: [asking({ cpu: "two", memory: "1Mi" })] },
      asks: { memory: "1Mi" }
    },
    {
      why: "is that of its containers with its sidecars, where a step before takes less",
      spec: {
        initContainers: [asking({ cpu: "2" }, sidecar), asking({ cpu: "1" })],
        containers: [asking({ cpu: "3" })]
      },
      asks: { cpu: "5" }
    },
    {
      why: "is that of a step with the sidecars before it, and not with those after it",
      spec: {
        initContainers: [
          asking({ cpu: "2" }, sidecar),
          asking({ cpu: "7" }),
          asking({ cpu: "1" }, sidecar),
          asking({ cpu: "4" })
        ],
        containers: [asking({ cpu: "500m" })]
      },
      asks: { cpu: "9" }
    },
    {
      why: "is written as the containers write it where a step takes as much",
      spec: { initContainers: [asking({ memory: "1024" })], containers: [asking({ memory: "1Ki" })] },
      asks: { memory: "1Ki" }
    },
    {
      why: "is what it says for itself, of what can be said so",
      spec: {
        containers: [asking({ cpu: "1", memory: "1Mi", "hugepages-2Mi": "2Mi", "example.com/gpu": "1" })],
        resources: {
          requests: { cpu: "3", memory: "7Mi", "hugepages-2Mi": "6Mi", "example.com/gpu": "5" }
        }
      },
      asks: { cpu: "3", memory: "7Mi", "hugepages-2Mi": "6Mi", "example.com/gpu": "1" }
    }
  ])("$why", ({ spec, asks }) => {
    expect(textsOf(podResourceAmounts(spec, "requests"))).toEqual(asks)
    expect(textsOf(podResourceAmounts(spec, "limits"))).toEqual({})
  })

  it("comes with what running it costs, and so do limits where there are any", () => {
    const spec = { containers: [], overhead: { cpu: "100m", memory: "3Mi" } }
    const amounts = parseAmounts({ cpu: "1" })
    expect(textsOf(withPodOverhead(amounts, spec, "requests"))).toEqual({ cpu: "1100m", memory: "3Mi" })
    expect(textsOf(withPodOverhead(amounts, spec, "limits"))).toEqual({ cpu: "1100m" })
    expect(textsOf(withPodOverhead(amounts, { containers: [] }, "requests"))).toEqual({ cpu: "1" })
    expect(textsOf(amounts)).toEqual({ cpu: "1" })
  })
})
