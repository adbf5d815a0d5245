import { type Attributes, type Histogram, isNoopMeter, type Meter, registeredMeters } from "./api.js";

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** MCP requests may wait for a user to answer, so these boundaries go further. */
const requestSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** The duration metrics of the GenAI and MCP conventions, with their descriptions. */
const durations = {
  "gen_ai.client.operation.duration": "Duration of model calls",
  "gen_ai.client.operation.time_to_first_chunk": "Time until the first chunk of a streamed answer",
  "gen_ai.execute_tool.duration": "Duration of tool calls",
  "gen_ai.invoke_agent.duration": "Duration of agent runs",
  "gen_ai.workflow.duration": "Duration of graph runs",
  "mcp.client.operation.duration": "Duration of requests to MCP servers",
} as const;

export type DurationMetric = keyof typeof durations;

/** The histograms of a meter, created when they are first used. */
class MeterInstruments {
  readonly #meter: Meter;
  readonly #histograms = new Map<string, Histogram>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  duration(name: DurationMetric): Histogram {
    const boundaries = name === "mcp.client.operation.duration" ? requestSeconds : seconds;
    return this.#get(name, { description: durations[name], unit: "s", boundaries });
  }

  get tokenUsage(): Histogram {
    const description = "Number of input and output tokens used";
    return this.#get("gen_ai.client.token.usage", { description, unit: "{token}", boundaries: tokens });
  }

  #get(
    name: string,
    { description, unit, boundaries }: { description: string; unit: string; boundaries: number[] },
  ): Histogram {
    const known = this.#histograms.get(name);
    if (known !== undefined) return known;
    const advice = { explicitBucketBoundaries: boundaries };
    const histogram = this.#meter.createHistogram(name, { description, unit, advice });
    this.#histograms.set(name, histogram);
    return histogram;
  }
}

/** Records metrics with the given meter, or with that of the SDK that is currently registered. */
export class Instruments {
  readonly #given: MeterInstruments | undefined;
  #provider: unknown;
  #registered: MeterInstruments | undefined;

  constructor(meter: Meter | undefined) {
    this.#given = meter === undefined ? undefined : new MeterInstruments(meter);
  }

  /** Whether metrics are recorded: there is a meter, or a registered SDK. */
  get isEnabled(): boolean {
    return this.#given !== undefined || this.#current !== undefined;
  }

  recordDuration(name: DurationMetric, milliseconds: number, attributes: Attributes): void {
    this.#current?.duration(name).record(milliseconds / 1_000, attributes);
  }

  recordTokens(type: "input" | "output", count: number, attributes: Attributes): void {
    this.#current?.tokenUsage.record(count, { ...attributes, "gen_ai.token.type": type });
  }

  get #current(): MeterInstruments | undefined {
    if (this.#given !== undefined) return this.#given;
    const provider = registeredMeters();
    if (provider !== this.#provider) {
      this.#provider = provider;
      const meter = provider?.getMeter("kumiko");
      this.#registered = meter === undefined || isNoopMeter(meter) ? undefined : new MeterInstruments(meter);
    }
    return this.#registered;
  }
}
