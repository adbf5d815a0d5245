import { measureWithout } from "./.scratch-sizes.mjs";
const groups = {
 none: [],
 scheduler: ["run/scheduler","run/routing","run/readiness","run/fan-in","run/routes","schema/stream/merge","run/merge","run/node-stops","run/streams/stream-ports","run/policies/places","run/node-failure","run/wired-delivery"],
 wrap: ["run/wrap","run/state-cell"],
 messages: ["schema/message/concat","schema/message/concat-block","schema/message/concat-field","schema/message/concat-vendor","schema/message/concat-extra","schema/message/concat-response-meta","tools/node/streamed-calls"],
 streamedcalls: ["tools/node/streamed-calls"],
 validator: ["schema/json-schema/interpret","schema/json-schema-validator","schema/json-schema/dialect"],
 places: ["schema/validation/schema-places","schema/validation/fault-places","schema/validation/revive-dates","tools/define/repair-arguments","schema/validation/schema-check"],
 jsonpos: ["tools/define/json-error-position","tools/define/repair-arguments"],
 formats: ["tools/formats/ai-sdk-tool","tools/formats/mastra-tool","tools/formats/ai-sdk-output","tools/formats/ai-sdk-schema","tools/formats/mastra-context","tools/formats/tan-stack-tool","tools/formats/eino-tool"],
 convert: ["schema/json-schema/convert","schema/json-schema/parameter-map","schema/json-schema/tool-parameters"],
 questions: ["run/questions","checkpoint/errors","checkpoint/pause/interrupt","checkpoint/pause/interrupts-of","checkpoint/pause/invocation","tools/define/approval","tools/node/suspend-call"],
 handlers: ["callbacks/handler-error","callbacks/tell","callbacks/span","callbacks/handler-list","run/observe","run/run-handlers","callbacks/stream-copy","callbacks/streamed-output"],
 callopts: ["run/call-options"],
 aliases: ["tools/node/aliases"],
 stream: ["schema/stream/copy","schema/stream/map","run/streams/run-stream","run/streams/node-stream","run/streams/open-streams","run/streams/output-streams","schema/stream/readable-stream"],
 resultstream: ["tools/node/result-stream"],
 resultlimit:["tools/node/result-limit"],
 deadlines:["tools/node/deadlines"],
 errors: ["tools/node/errors","tools/define/errors","run/errors","schema/errors","checkpoint/errors","tools/formats/errors"],
 encode: ["schema/encode-json"],
 lone: ["tools/define/lone-call"],
};
const base = await measureWithout([]);
console.log("base", base);
for (const [k, f] of Object.entries(groups)) if (f.length) console.log(base - (await measureWithout(f.map((x) => x + ".ts"))), k);
