import { describe, expect, it } from "vitest"
import { matchesFormat } from "../../../src/kubernetes/customResources/formats.ts"

interface Row {
  readonly format: string
  readonly valid: ReadonlyArray<string>
  readonly invalid: ReadonlyArray<string>
}

const label = (length: number): string => "a".repeat(length)
const hex = (bytes: number, mark: string): string => Array.from({ length: bytes }, () => "0F").join(mark)

describe("the format of a string (TestFormatDate and its neighbours)", () => {
  it.each<Row>([
    {
      format: "date",
      valid: ["2026-02-28", "2024-02-29", "0001-01-01"],
      invalid: ["2026-02-29", "2026-02-30", "2026-13-01", "2026-1-1", "2026-01", "+012026-01-01", ""]
    },
    {
      format: "date-time",
      valid: ["2026-01-01T23:59:59Z", "2026-01-01t00:00:00.5z", "2026-01-01T00:00:00.75+02:00"],
      invalid: [
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Zulu",
        "2026-02-30T00:00:00Z",
        "noon"
      ]
    },
    { format: "datetime", valid: ["2026-01-01T00:00:00Z"], invalid: ["2026-01-01"] },
    {
      format: "duration",
      valid: [
        "0",
        "-1h30m",
        "-1.s",
        "-12.25s",
        "-.25ms",
        "+3µs",
        "15 days",
        "2 Hours 5 min",
        "7wk",
        "3 days 7 moons"
      ],
      invalid: ["", "1", "h", "1.5 days", "3 moons", "+3 days", "1h 30", "5 minx3"]
    },
    { format: "email", valid: ["joe@x.org", "joe@host"], invalid: ["joe", "@x.org", "a b@x.org", "a@b@c"] },
    {
      format: "hostname",
      valid: ["web", "3.example.com", "a-b.example", `${label(63)}.x`, [63, 63, 63, 63].map(label).join(".")],
      invalid: [
        "",
        "a..b",
        "-a.b",
        "a-.b",
        "a_b.c",
        `${label(64)}.x`,
        `${[63, 63, 63, 62].map(label).join(".")}.a`
      ]
    },
    {
      format: "ipv4",
      valid: ["0.0.0.0", "255.255.255.255", "10.244.0.3"],
      invalid: ["256.0.0.1", "10.0.0", "1.2.3.4.5", "010.0.0.1", "1.2.3.x", "::1"]
    },
    {
      format: "ipv6",
      valid: ["::", "2001:db8::7", "FE80::1", "::ffff:1.2.3.4"],
      invalid: ["10.0.0.1", "1::2::3", "::g", "::1]:80/[", "::1]/[::1", "x"]
    },
    {
      format: "cidr",
      valid: ["10.0.0.0/8", "10.0.0.1/32", "10.0.0.1/0", "2001:db8::/128", "::/0"],
      invalid: [
        "10.0.0.0",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/-8",
        "10.0.0.0/1e1",
        "10.0.0.0/8/8",
        "10.0.0/8",
        "x/8",
        "10.0.0.0/",
        "::/x"
      ]
    },
    {
      format: "mac",
      valid: [hex(6, ":"), hex(8, "-"), hex(20, ":"), "0000.5e00.5301", "02:00:5e:10:00:00:00:01"],
      invalid: [
        hex(7, ":"),
        hex(6, "."),
        "00:00-5e:00:53:01",
        "0g:00:5e:00:53:01",
        "g0:00:5e:00:53:01",
        "000:0:5e:00:53:01",
        ""
      ]
    },
    {
      format: "uri",
      valid: ["https://x.example/a?b", "mailto:joe@x.org", "/healthz"],
      invalid: ["healthz", "", " https://x.example", "http://a b/"]
    },
    {
      format: "uuid",
      valid: ["2F1C8A9E-0b1d-4c3e-9f00-1234567890ab", "2f1c8a9e0b1d4c3e9f001234567890ab"],
      invalid: [
        "2f1c8a9e-0b1d-4c3e-9f00-1234567890a",
        "x2f1c8a9e0b1d4c3e9f001234567890ab",
        "2f1c8a9e0b1d4c3e9f001234567890abc"
      ]
    },
    { format: "byte", valid: ["", "YQ==", "YWI=", "YWJj"], invalid: ["YQ=", "YQ", "Y!==", "YWJjYQ="] },
    { format: "password", valid: ["anything"], invalid: [] },
    { format: "color-of-the-sea", valid: ["", "anything"], invalid: [] }
  ])("$format", ({ format, valid, invalid }) => {
    expect(valid.filter((text) => !matchesFormat(text, format))).toEqual([])
    expect(invalid.filter((text) => matchesFormat(text, format))).toEqual([])
  })
})
