# Passes if the stream ends with [DONE].
./gateway-understudy --port 0 --json --quiet > ready &
trap "kill $!" EXIT
until grep --quiet --no-messages baseUrl ready; do sleep 0.05; done
base_url=$(sed 's/.*"baseUrl":"\([^"]*\)".*/\1/' ready)
question='{"model":"aurora/dawn-2","input":"Why tides?","stream":true}'
reply=$(curl --silent "$base_url/responses" --header 'authorization: Bearer any' --json "$question")
test "$(echo "$reply" | tail -n 1)" = 'data: [DONE]'
