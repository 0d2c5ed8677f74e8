import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { seedFromName } from "../../src/testing/seedFromName.ts"
import { test } from "../../src/testing/vitest.ts"
import { web } from "../server/traffic/recordedTraffic.ts"

const root = resolve(import.meta.dirname, "../..")

describe("the vitest fixture", () => {
  test("gives each test a cluster of its own, seeded by the test's name", async ({ cluster, rolledOut }) => {
    expect((await cluster.list("deployments.apps")).items).toEqual([])
    await cluster.apply(web(2))
    const { metadata } = await rolledOut("web")
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("matches what eventually and consistently holds", async ({ cluster, object, settled }) => {
    await cluster.apply(web(2))
    const deployment = object({ resource: "deployments.apps", name: "web" })
    await expect(deployment).toEventuallyMatch({ status: { readyReplicas: 2 } })
    await expect(cluster).toRollOut("web")
    await settled()
    await expect(deployment).toConsistentlyMatch({ status: { readyReplicas: 2 } }, { for: "3m" })
    await expect(deployment).not.toEventuallyMatch({ status: { readyReplicas: 3 } }, { within: "3m" })
  })

  test("serves tests that ask for it, with a request log", async ({ cluster, served }) => {
    const answer = await fetch(`${served.url}/api/v1/pods`)
    expect(answer.status).toBe(401)
    expect(cluster.requests.seen()).toBe(0)
    expect(served.kubeconfig).toContain(served.url)
  })

  it("reports a failure's difference, its virtual time and its seed, also at the runner's timeout", () => {
    const options = { config: false, watch: false, include: ["test/testing/failingTests.ts"] }
    const program = `import { startVitest } from "vitest/node"
      const vitest = await startVitest("test", [], ${JSON.stringify(options)})
      await vitest.close()`
    const args = ["--input-type=module", "-e", program]
    const env = { ...process.env, NO_COLOR: "1" }
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
      env
    })
    const printed = stdout + stderr
    expect(printed).toMatch(/Tests\s+9 failed \| 1 passed/)
    expect(printed).toContain("did not hold within 3m of virtual time")
    expect(printed).toMatch(/\+\s+"blue": "yes"|-\s+"blue": "yes"/)
    const seed = seedFromName("a suite > a condition never holds")
    expect(printed).toContain(
      `the cluster's seed was ${seed}: test.override({ clusterOptions: { seed: ${seed} } })`
    )
    expect(printed).toContain('deployments.apps "web" not found')
    expect(printed).toContain("the cluster's seed was 4711")
    expect(printed).toContain("toEventuallyMatch takes what object or objects returned")
    expect(printed.match(/the cluster's seed was/g)?.length).toBe(
      9 * (printed.split("Failed Tests").length - 1)
    )
    expect(printed.match(/Test timed out in 4000ms/g)).toHaveLength(7)
    expect(printed).toMatch(/did not hold within \S+: the test ended before the limit of 10m/)
    expect(printed).toMatch(/-\s+"green": "yes"/)
    expect(printed).toContain("Nothing of a new template is rolled out until `kubectl rollout resume")
    expect(printed).toMatch(/the assertion has held for \S+: the test ended before the limit of 1m/)
    expect(printed).toContain("the assertion has not returned yet")
    expect(printed).toContain("expected 'try 0' to be 'done'")
    expect(printed).toContain("expected 'try 1' to be 'done'")
    expect(printed).toContain("expected 'yellow' to be 'purple'")
    expect(status).toBe(1)
  })
})
