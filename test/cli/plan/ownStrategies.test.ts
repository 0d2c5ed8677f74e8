import { stringify } from "yaml"
import { describe, expect, it } from "vitest"
import { charthouse, charthouseProcess } from "../harness/charthouse.ts"
import { projectPath } from "../../projectPath.ts"
import { webDeployment } from "../../steering/steeredShop.ts"

const firstCrash = projectPath("test/steering/firstCrash.ts")
const blueGreen = projectPath("test/machines/strategies/blueGreen.ts")
const manifest = (image: string, strategy: string | undefined, spec: object) =>
  stringify(webDeployment(strategy, { image, spec }))
const steered = {
  "v1.yaml": manifest("web:1", "firstCrash", { minReadySeconds: 10 }),
  "v2.yaml": manifest("web:2", "firstCrash", { minReadySeconds: 10 })
}
const planArgs = ["plan", "-f", "v2.yaml", "--from", "v1.yaml"]

describe("charthouse plan --strategies", () => {
  it("plays a steering chart of the user's own, and what it does when the new revision fails", async () => {
    const { code, stdout } = await charthouse(
      [...planArgs, "--seeds", "2", "--strategies", firstCrash],
      steered
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/its containers crash: taken back in \d+s, 3 of 4 available at the least/u)
  })

  it("plays a strategy of the user's own, on threads too", async () => {
    const files = {
      "v1.yaml": manifest("web:1", undefined, { strategy: { type: "BlueGreen" } }),
      "v2.yaml": manifest("web:2", undefined, { strategy: { type: "BlueGreen" } })
    }
    const args = [...planArgs, "--seeds", "60", "--what-if", "none", "--strategies", blueGreen]
    const { code, stdout } = await charthouseProcess(args, files)
    expect(code).toBe(0)
    expect(stdout).toContain("played with 60 seeds")
    expect(stdout).toMatch(/most Pods +8/u)
  })

  it("refuses to print a Job, whose Pods would not have the module", async () => {
    const jobArgs = ["--as-job", "charthouse:1", "--shard", "2", "--strategies", firstCrash]
    const { code, stderr } = await charthouse([...planArgs, ...jobArgs], steered)
    expect([code, stderr]).toEqual([2, expect.stringContaining("--as-job cannot give its Pods the module")])
  })
})
